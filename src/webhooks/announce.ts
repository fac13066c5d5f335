import type { Change } from '../registry/event-spec.ts'
import { formatTime } from '../time.ts'
import type { Executor } from '../store/db.ts'
import { insertWebhookDeliveries } from '../store/webhook-deliveries.ts'
import { listWebhooks } from '../store/webhooks.ts'

/** What webhooks are told. */
export interface Announcement {
  type: 'event.published' | 'event.status_changed'
  /** Identifies the announcement itself, the same for every webhook. */
  id: string
  at: number
  publishedBy: string | undefined
  event: Record<string, unknown>
  previousVersion: string | undefined
  changes: Change[]
}

/**
 * Puts an announcement into the outbox of every enabled webhook, inside the transaction of the publication:
 * none is lost, and none is sent for a publication that failed.
 */
export async function announce(tx: Executor, announcement: Announcement): Promise<void> {
  const enabled = (await listWebhooks(tx)).filter((webhook) => webhook.disabledAt === undefined)
  await insertWebhookDeliveries(tx, {
    webhookIds: enabled.map((webhook) => webhook.id),
    messageId: announcement.id,
    type: announcement.type,
    payload: JSON.stringify({
      type: announcement.type,
      id: announcement.id,
      timestamp: formatTime(announcement.at),
      published_by: announcement.publishedBy ?? null,
      event: announcement.event,
      previous_version: announcement.previousVersion ?? null,
      changes: announcement.changes,
    }),
    at: announcement.at,
  })
}
