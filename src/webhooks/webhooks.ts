import { invalid, notFound } from '../error.ts'
import { change } from '../store/change.ts'
import type { Actor } from '../store/actor.ts'
import type { ChangeDeps } from '../store/change.ts'
import type { Executor } from '../store/db.ts'
import { deleteWebhook, findWebhook, insertWebhook, updateWebhook } from '../store/webhooks.ts'
import type { Webhook, WebhookFilter } from '../store/webhooks.ts'
import { dropDeliveries } from '../store/webhook-deliveries.ts'
import { assertFilter } from './filter.ts'
import { newSecret } from './secret.ts'

const LONGEST_URL = 2000

/** What an admin chooses of a webhook. */
export type WebhookFields = WebhookFilter & { url: string }

/** Registers a webhook; the same address may be registered twice. @throws SignalbookError `invalid_request` for an address that is not http(s), or a bad filter */
export async function createWebhook(deps: ChangeDeps, actor: Actor, fields: WebhookFields): Promise<WebhookFields & { id: number; secret: string; createdAt: number }> {
  checkFields(fields)
  const secret = newSecret()
  return change(deps, actor, async ({ tx, at }) => {
    const id = await insertWebhook(tx, { ...fields, secret, createdAt: at })
    return { result: { ...fields, id, secret, createdAt: at }, facts: [{ action: 'created', entity: 'webhook', entityId: String(id), after: auditView({ ...fields, id }) }] }
  })
}

/** Replaces address and filter; what waits goes to the new address. @throws SignalbookError `not_found`, `invalid_request` */
export async function replaceWebhook(deps: ChangeDeps, actor: Actor, id: number, fields: WebhookFields): Promise<Webhook> {
  checkFields(fields)
  return change(deps, actor, async ({ tx }) => {
    const before = await requireWebhook(tx, id)
    const webhook = { ...before, ...fields, failingSince: fields.url === before.url ? before.failingSince : undefined }
    await updateWebhook(tx, webhook)
    return { result: webhook, facts: [{ action: 'updated', entity: 'webhook', entityId: String(id), before: auditView(before), after: auditView(webhook) }] }
  })
}

/** Removes a webhook with everything that still waits for it. @throws SignalbookError `not_found` */
export async function removeWebhook(deps: ChangeDeps, actor: Actor, id: number): Promise<void> {
  await change(deps, actor, async ({ tx, at }) => {
    const webhook = await requireWebhook(tx, id)
    await deleteWebhook(tx, id)
    await dropDeliveries(tx, id, at)
    return { result: undefined, facts: [{ action: 'deleted', entity: 'webhook', entityId: String(id), before: auditView(webhook) }] }
  })
}

/** One webhook. @throws SignalbookError `not_found` */
export async function requireWebhook(db: Executor, id: number): Promise<Webhook> {
  const webhook = await findWebhook(db, id)
  if (!webhook) throw notFound(`there is no webhook with the id ${id}; GET /v1/webhooks lists them`)
  return webhook
}

/** What the audit log shows of a webhook. */
function auditView({ id, url, namespaces, types }: WebhookFields & { id: number }): Record<string, unknown> {
  return { id, url, namespaces, types }
}

function checkFields(fields: WebhookFields): void {
  assertWebhookUrl(fields.url)
  assertFilter(fields)
}

function assertWebhookUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') || url.length > LONGEST_URL) {
    throw invalid(`url must be an absolute http or https address of at most ${LONGEST_URL} characters, such as https://example.com/hooks; got "${url.slice(0, 100)}"`)
  }
  if (parsed.username !== '' || parsed.password !== '') throw invalid('url must not hold a user name or password; verify the signature instead')
}
