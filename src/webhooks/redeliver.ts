import { conflict, notFound } from '../error.ts'
import { change } from '../store/change.ts'
import type { Actor } from '../store/actor.ts'
import type { ChangeDeps } from '../store/change.ts'
import { keepNewestAttempts } from '../store/webhook-attempts.ts'
import { restartDelivery } from '../store/webhook-deliveries.ts'
import { MOST_ATTEMPTS } from './schedule.ts'
import { requireWebhook } from './webhooks.ts'

/**
 * Begins a delivery anew: the same message id and body, the schedule from its start. Of the attempts so far the last eight stay in
 * the log, so that it does not grow with every redelivery.
 * @returns the message id
 * @throws SignalbookError `not_found`, `conflict` while the webhook is disabled
 */
export async function redeliver(deps: ChangeDeps, actor: Actor, { id, deliveryId }: { id: number; deliveryId: number }): Promise<string> {
  return change(deps, actor, async ({ tx, at }) => {
    const webhook = await requireWebhook(tx, id)
    if (webhook.disabledAt !== undefined) throw conflict(`webhook ${id} is disabled and is sent nothing; enable it first with POST /v1/webhooks/${id}/enable`)
    const messageId = await restartDelivery(tx, { id: deliveryId, webhookId: id, at })
    if (messageId === undefined) throw notFound(`webhook ${id} has no delivery with the id ${deliveryId}; GET /v1/webhooks/${id}/deliveries lists them`)
    await keepNewestAttempts(tx, deliveryId, MOST_ATTEMPTS)
    return { result: messageId, facts: [{ action: 'redelivered', entity: 'webhook', entityId: String(id), after: { delivery_id: deliveryId, message_id: messageId } }] }
  })
}
