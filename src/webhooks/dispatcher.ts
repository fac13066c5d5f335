import { Webhook as Signer } from 'standardwebhooks'
import { SECOND } from '../duration.ts'
import { change } from '../store/change.ts'
import type { ChangeDeps } from '../store/change.ts'
import { claimDueDeliveries, dropDeliveries, nextDeliveryAt, postponeDelivery, settleDelivery } from '../store/webhook-deliveries.ts'
import type { WebhookDelivery } from '../store/webhook-deliveries.ts'
import { disableWebhook, findWebhook, noteWebhookAttempt } from '../store/webhooks.ts'
import type { Webhook } from '../store/webhooks.ts'
import { judgeAttempt } from './schedule.ts'

const TIMEOUT_MS = 15 * SECOND
// Longer than an attempt can take, so a lease only runs out when its holder died.
const LEASE_MS = 60 * SECOND
// One attempt per webhook, so this many receivers may hang without holding up another.
const MOST_AT_ONCE = 100
// Another process may have published: look again at least this often.
const LONGEST_SLEEP_MS = 5 * SECOND

/** One outgoing request and its answer; `error` when there was none. */
export type Send = (request: {
  method: 'POST'
  url: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
}) => Promise<{ status: number } | { error: string }>

export interface DispatcherDeps extends ChangeDeps {
  send: Send
  newId: () => string
  random: () => number
  log: { warn(facts: object, text: string): void; error(facts: object, text: string): void }
}

export interface Dispatcher {
  /** Looks for deliveries that are due at once, not at the next turn. */
  wake(): void
  /** Claims nothing more and waits for the attempts under way. */
  stop(): Promise<void>
}

/** Sends what the outbox holds until it is stopped. Several processes may run one: each delivery is leased to one of them. */
export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  let stopped = false
  let wakeUp = () => {}
  /** Webhooks with an attempt under way. */
  const underWay = new Map<number, Promise<void>>()

  const begin = (delivery: WebhookDelivery, token: string) => {
    const ended = attempt(deps, delivery, token)
      .catch((error: unknown) => deps.log.warn({ err: error }, 'the outcome of a webhook delivery could not be stored; it is attempted again'))
      .finally(() => {
        underWay.delete(delivery.webhookId)
        wakeUp()
      })
    underWay.set(delivery.webhookId, ended)
  }

  const turn = async (): Promise<number> => {
    const now = deps.now()
    const token = deps.newId()
    const limit = MOST_AT_ONCE - underWay.size
    const due = limit === 0 ? [] : await claimDueDeliveries(deps.db.knex, { token, now, until: now + LEASE_MS, limit, busy: [...underWay.keys()] })
    for (const delivery of due) begin(delivery, token)
    if (due.length > 0) return 0
    const next = await nextDeliveryAt(deps.db.knex)
    return next === undefined ? LONGEST_SLEEP_MS : Math.min(Math.max(next - deps.now(), 100), LONGEST_SLEEP_MS)
  }

  const run = async () => {
    while (!stopped) {
      const sleepMs = await turn().catch((error: unknown) => {
        deps.log.warn({ err: error }, 'webhook deliveries wait for the database')
        return SECOND
      })
      if (sleepMs > 0 && !stopped) await sleep(sleepMs, (wake) => (wakeUp = wake))
    }
  }
  const running = run()

  return {
    wake: () => wakeUp(),
    async stop() {
      stopped = true
      wakeUp()
      await running
      await Promise.all(underWay.values())
    },
  }
}

function sleep(ms: number, expose: (wake: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    expose(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

async function attempt(deps: DispatcherDeps, delivery: WebhookDelivery, token: string): Promise<void> {
  const webhook = await findWebhook(deps.db.knex, delivery.webhookId)
  if (!webhook || webhook.disabledAt !== undefined) return dropDeliveries(deps.db.knex, delivery.webhookId, deps.now())
  const answer = await deps.send(signedRequest(webhook, delivery, deps.now()))
  const at = deps.now()
  const status = 'status' in answer ? answer.status : 0
  const attempts = delivery.attempts + 1
  const failingSince = webhook.failingSince ?? at
  const verdict = judgeAttempt({ status, attempts, failingForMs: at - failingSince, random: deps.random() })
  const error = verdict.kind === 'delivered' ? undefined : 'error' in answer ? answer.error.slice(0, 500) : `HTTP ${status}`
  const facts = { id: delivery.id, token, attempts, status, error }
  const held = await deps.db.knex.transaction(async (tx) => {
    const isHeld =
      verdict.kind === 'retry'
        ? await postponeDelivery(tx, { ...facts, nextAttemptAt: at + verdict.afterMs })
        : await settleDelivery(tx, { ...facts, at, outcome: verdict.kind === 'delivered' ? 'delivered' : 'failed' })
    if (isHeld) await noteWebhookAttempt(tx, webhook.id, { at, status, failingSince: verdict.kind === 'delivered' ? undefined : failingSince })
    return isHeld
  })
  // A lease that was lost: whoever holds it now writes the outcome.
  if (!held) return
  if (verdict.kind === 'disable') await disable(deps, webhook, verdict.reason)
}

/** Headers and body as the Standard Webhooks specification writes them; the time is that of this attempt. */
function signedRequest(webhook: Webhook, delivery: WebhookDelivery, at: number): Parameters<Send>[0] {
  const signature = new Signer(webhook.secret).sign(delivery.messageId, new Date(at), delivery.payload)
  return {
    method: 'POST',
    url: webhook.url,
    timeoutMs: TIMEOUT_MS,
    body: delivery.payload,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'signalbook-webhooks/1',
      'webhook-id': delivery.messageId,
      'webhook-timestamp': String(Math.floor(at / SECOND)),
      'webhook-signature': signature,
    },
  }
}

async function disable(deps: DispatcherDeps, { id }: Webhook, reason: string): Promise<void> {
  const isDone = await change(deps, { name: 'signalbook' }, async ({ tx, at }) => {
    const webhook = await findWebhook(tx, id)
    // Deleted or disabled by another attempt meanwhile: there is nothing to tell twice.
    if (!webhook || webhook.disabledAt !== undefined) return { result: false, facts: [] }
    await disableWebhook(tx, id, at, reason)
    await dropDeliveries(tx, id, at)
    return { result: true, facts: [{ action: 'disabled', entity: 'webhook', entityId: String(id), reason, before: { state: 'active' }, after: { state: 'disabled' } }] }
  })
  if (isDone) deps.log.warn({ webhook: id, reason }, 'webhook disabled')
}
