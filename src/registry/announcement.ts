import type { Knex } from 'knex'
import type { ChangeDeps } from '../store/change.ts'
import type { Change } from './event-spec.ts'
import type { PublishedSpec } from './published-spec.ts'
import type { VersionPolicy } from './version-rule.ts'

/** What is announced to webhooks, in the transaction of the change itself. */
export interface SpecAnnouncement {
  type: 'event.published' | 'event.status_changed'
  at: number
  publishedBy: string | undefined
  /** As a read answers it. */
  event: PublishedSpec
  previousVersion: string | undefined
  changes: Change[]
}

/** What a change of event specs needs; `announce` comes from outside, since the registry knows nothing of webhooks. */
export interface SpecChangeDeps extends ChangeDeps {
  /** The setting in force for this request. */
  versionPolicy: VersionPolicy
  announce: (tx: Knex.Transaction, announcement: SpecAnnouncement) => Promise<void>
}
