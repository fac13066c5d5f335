import { change } from '../store/change.ts'
import type { Actor } from '../store/actor.ts'
import type { AuditFact } from '../store/audit-entries.ts'
import type { ChangeDeps } from '../store/change.ts'
import type { Executor } from '../store/db.ts'
import { dropDeliveries } from '../store/webhook-deliveries.ts'
import { disableWebhook, enableWebhook, findWebhook } from '../store/webhooks.ts'
import type { Webhook } from '../store/webhooks.ts'
import { requireWebhook } from './webhooks.ts'

/** Lets a disabled webhook hear of publications again, as if it had never failed; one that is enabled stays as it is. @throws SignalbookError `not_found` */
export async function switchOn(deps: ChangeDeps, actor: Actor, id: number): Promise<Webhook> {
  return change(deps, actor, async ({ tx }) => {
    const before = await requireWebhook(tx, id)
    if (before.disabledAt === undefined) return { result: before, facts: [] }
    await enableWebhook(tx, id)
    return { result: await requireWebhook(tx, id), facts: [stateFact(id, 'enabled', 'disabled', 'active')] }
  })
}

/** Switches a webhook off by hand and drops what waits for it; one that is disabled stays as it is. @throws SignalbookError `not_found` */
export async function switchOff(deps: ChangeDeps, actor: Actor, { id, reason }: { id: number; reason: string | undefined }): Promise<Webhook> {
  return change(deps, actor, async ({ tx, at }) => {
    const before = await requireWebhook(tx, id)
    if (before.disabledAt !== undefined) return { result: before, facts: [] }
    const fact = await disable(tx, { id, at, reason })
    return { result: await requireWebhook(tx, id), facts: [fact] }
  })
}

/**
 * Switches a webhook off because of what an attempt at `url` came to. @returns whether it did: not when the webhook was
 * deleted, disabled or led to another address while that attempt was under way
 */
export async function switchOffByItself(deps: ChangeDeps, { id, url, reason }: { id: number; url: string; reason: string }): Promise<boolean> {
  return change(deps, { name: 'signalbook' }, async ({ tx, at }) => {
    const webhook = await findWebhook(tx, id)
    if (!webhook || webhook.disabledAt !== undefined || webhook.url !== url) return { result: false, facts: [] }
    return { result: true, facts: [await disable(tx, { id, at, reason })] }
  })
}

async function disable(tx: Executor, { id, at, reason }: { id: number; at: number; reason: string | undefined }): Promise<AuditFact> {
  await disableWebhook(tx, id, at, reason)
  await dropDeliveries(tx, id, at)
  return { ...stateFact(id, 'disabled', 'active', 'disabled'), ...(reason === undefined ? {} : { reason }) }
}

function stateFact(id: number, action: string, before: string, after: string): AuditFact {
  return { action, entity: 'webhook', entityId: String(id), before: { state: before }, after: { state: after } }
}
