import type { ChangeDeps } from '../store/change.ts'
import { insertWebhookAttempt } from '../store/webhook-attempts.ts'
import { dropDelivery, postponeDelivery, releaseDelivery, settleDelivery } from '../store/webhook-deliveries.ts'
import type { WebhookDelivery } from '../store/webhook-deliveries.ts'
import { findSigningSecrets } from '../store/webhook-secrets.ts'
import { findWebhook, noteWebhookAttempt } from '../store/webhooks.ts'
import { judgeAttempt } from './schedule.ts'
import { signedRequest } from './signed-request.ts'
import type { SignedRequest } from './signed-request.ts'
import { switchOffByItself } from './switch.ts'

const LOGGED_ANSWER_BYTES = 4 * 1024
const LONGEST_ERROR = 500

/** Sends one request; `error` when there was no answer. */
export type Send = (request: SignedRequest, signal: AbortSignal) => Promise<{ status: number; body: string } | { error: string }>

export interface AttemptDeps extends ChangeDeps {
  send: Send
  random: () => number
  log: { warn(facts: object, text: string): void }
}

/**
 * Makes one attempt at a delivery and stores what it came to. The attempt itself is always logged; the delivery is only changed
 * while the lease holds: whoever took it over meanwhile writes its outcome.
 * @param lease `signal` ends the attempt; its delivery is then given back as it was
 */
export async function attemptDelivery(deps: AttemptDeps, delivery: WebhookDelivery, lease: { token: string; signal: AbortSignal }): Promise<void> {
  const { knex } = deps.db
  const { token } = lease
  const startedAt = deps.now()
  const webhook = await findWebhook(knex, delivery.webhookId)
  const secrets = await findSigningSecrets(knex, delivery.webhookId, startedAt)
  if (!webhook || webhook.disabledAt !== undefined || secrets.length === 0) return dropDelivery(knex, { id: delivery.id, token, at: startedAt })

  const answer = await deps.send(signedRequest(webhook.url, secrets, delivery, startedAt), lease.signal)
  if ('error' in answer && lease.signal.aborted) return releaseDelivery(knex, { id: delivery.id, token })

  const at = deps.now()
  const status = 'status' in answer ? answer.status : 0
  const attempts = delivery.attempts + 1
  // Read after the answer: another process may have had a success during the attempt.
  const failingSince = (await findWebhook(knex, webhook.id))?.failingSince ?? at
  const verdict = judgeAttempt({ status, attempts, failingForMs: at - failingSince, random: deps.random() })
  const isSuccess = verdict.kind === 'delivered'
  const error = isSuccess ? undefined : 'error' in answer ? answer.error.slice(0, LONGEST_ERROR) : `HTTP ${status}`
  const facts = { id: delivery.id, token, attempts, status, error }
  const held = await knex.transaction(async (tx) => {
    const isHeld =
      verdict.kind === 'retry'
        ? await postponeDelivery(tx, { ...facts, nextAttemptAt: at + verdict.afterMs })
        : await settleDelivery(tx, { ...facts, at, outcome: isSuccess ? 'delivered' : 'failed' })
    await insertWebhookAttempt(tx, delivery.id, { at: startedAt, status, durationMs: at - startedAt, error, answer: 'body' in answer ? beginningOf(answer.body) : '' })
    if (isHeld) await noteWebhookAttempt(tx, webhook.id, { at, status, isSuccess })
    return isHeld
  })
  if (!held || verdict.kind !== 'disable') return
  const { reason } = verdict
  if (await switchOffByItself(deps, { id: webhook.id, url: webhook.url, reason })) deps.log.warn({ webhook: webhook.id, reason }, 'webhook disabled')
}

/** The part of an answer that the log keeps, cut between two characters. */
function beginningOf(body: string): string {
  return new TextDecoder().decode(Buffer.from(body).subarray(0, LOGGED_ANSWER_BYTES), { stream: true })
}
