import type { Change } from '../registry/event-spec.ts'
import { formatTime } from '../time.ts'
import type { Executor } from '../store/db.ts'
import { insertWebhookDeliveries } from '../store/webhook-deliveries.ts'
import { listWebhooks } from '../store/webhooks.ts'
import type { AnnouncementType } from '../store/webhooks.ts'
import { wantsAnnouncement } from './filter.ts'

/** What webhooks are told. */
export interface Announcement {
  type: AnnouncementType
  /** Identifies the announcement itself, the same for every webhook. */
  id: string
  at: number
  publishedBy: string | undefined
  /** As a read answers it. */
  event: Record<string, unknown> & { namespace: string; name: string; version: string }
  previousVersion: string | undefined
  changes: Change[]
}

/**
 * Puts an announcement into the outbox of every enabled webhook that wants it, inside the transaction of the publication:
 * none is lost, and none is sent for a publication that failed.
 */
export async function announce(tx: Executor, announcement: Announcement): Promise<void> {
  const { type, event } = announcement
  const listening = (await listWebhooks(tx)).filter((webhook) => webhook.disabledAt === undefined && wantsAnnouncement(webhook, type, event))
  await insertWebhookDeliveries(tx, {
    webhookIds: listening.map((webhook) => webhook.id),
    messageId: announcement.id,
    type,
    subject: `${event.namespace}/${event.name}@${event.version}`,
    payload: JSON.stringify({
      type,
      id: announcement.id,
      timestamp: formatTime(announcement.at),
      published_by: announcement.publishedBy ?? null,
      event,
      previous_version: announcement.previousVersion ?? null,
      changes: announcement.changes,
    }),
    at: announcement.at,
  })
}
