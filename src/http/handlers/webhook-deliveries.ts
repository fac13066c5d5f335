import type { components } from '../../contract/types.ts'
import type { ChangeDeps } from '../../store/change.ts'
import { listWebhookAttempts } from '../../store/webhook-attempts.ts'
import type { WebhookAttempt } from '../../store/webhook-attempts.ts'
import { listLoggedDeliveries } from '../../store/webhook-deliveries.ts'
import type { LoggedDelivery } from '../../store/webhook-deliveries.ts'
import { formatTime } from '../../time.ts'
import { redeliver } from '../../webhooks/redeliver.ts'
import { requireWebhook } from '../../webhooks/webhooks.ts'
import type { HandlersOf } from '../operation.ts'
import { linkToNext, readIdCursor } from '../paging.ts'

// Each delivery comes with its attempts, and each of those with up to 4 KB of an answer.
const DEFAULT_LIMIT = 20

export interface WebhookDeliveryHandlerDeps extends ChangeDeps {
  /** Has deliveries that are due sent at once. */
  wakeWebhooks: () => void
}

/** What webhooks were sent, and what they answered. */
export function webhookDeliveryHandlers(deps: WebhookDeliveryHandlerDeps): HandlersOf<'listWebhookDeliveries' | 'redeliverWebhookDelivery'> {
  return {
    async listWebhookDeliveries({ path, query, request }) {
      const limit = query.limit ?? DEFAULT_LIMIT
      await requireWebhook(deps.db.knex, path.id)
      const beforeId = query.cursor === undefined ? undefined : readIdCursor(query.cursor)
      const found = await listLoggedDeliveries(deps.db.knex, { webhookId: path.id, state: query.state, beforeId, limit: limit + 1 })
      const deliveries = found.slice(0, limit)
      const attempts = await listWebhookAttempts(
        deps.db.knex,
        deliveries.map(({ id }) => id),
      )
      return {
        status: 200,
        headers: linkToNext(request.url, found.length > limit ? [String(deliveries.at(-1)?.id)] : undefined),
        body: deliveries.map((delivery) => toWire(delivery, attempts.get(delivery.id) ?? [])),
      }
    },

    async redeliverWebhookDelivery({ path, actor }) {
      const messageId = await redeliver(deps, actor, { id: path.id, deliveryId: path.delivery_id })
      deps.wakeWebhooks()
      return { status: 202, body: { status: 'accepted', message_id: messageId } }
    },
  }
}

function toWire(delivery: LoggedDelivery, attempts: WebhookAttempt[]): components['schemas']['WebhookDelivery'] {
  const { nextAttemptAt, settledAt } = delivery
  return {
    id: delivery.id,
    message_id: delivery.messageId,
    type: delivery.type as components['schemas']['WebhookEventType'],
    event: delivery.subject ?? null,
    state: delivery.state,
    created_at: formatTime(delivery.createdAt),
    next_attempt_at: nextAttemptAt === undefined ? null : formatTime(nextAttemptAt),
    settled_at: settledAt === undefined ? null : formatTime(settledAt),
    attempts: attempts.map(({ at, status, durationMs, error, answer }) => ({ at: formatTime(at), status, duration_ms: durationMs, error: error ?? null, answer })),
  }
}
