import { randomBytes } from 'node:crypto'
import { invalid, notFound } from '../error.ts'
import { change } from '../store/change.ts'
import type { Actor } from '../store/actor.ts'
import type { ChangeDeps } from '../store/change.ts'
import { deleteWebhook, findWebhook, insertWebhook } from '../store/webhooks.ts'
import type { Webhook } from '../store/webhooks.ts'
import { dropDeliveries } from '../store/webhook-deliveries.ts'

// The Standard Webhooks specification asks for 24 to 64 random bytes.
const SECRET_BYTES = 32
const LONGEST_URL = 2000

/** Registers a webhook; the same address may be registered twice. @throws SignalbookError `invalid_request` for an address that is not http(s) */
export async function createWebhook(deps: ChangeDeps, actor: Actor, url: string): Promise<Pick<Webhook, 'id' | 'url' | 'secret' | 'createdAt'>> {
  assertWebhookUrl(url)
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
  return change(deps, actor, async ({ tx, at }) => {
    const id = await insertWebhook(tx, { url, secret, createdAt: at })
    return { result: { id, url, secret, createdAt: at }, facts: [{ action: 'created', entity: 'webhook', entityId: String(id), after: { id, url } }] }
  })
}

/** Removes a webhook with everything that still waits for it. @throws SignalbookError `not_found` */
export async function removeWebhook(deps: ChangeDeps, actor: Actor, id: number): Promise<void> {
  await change(deps, actor, async ({ tx, at }) => {
    const webhook = await findWebhook(tx, id)
    if (!webhook) throw notFound(`there is no webhook with the id ${id}; GET /v1/webhooks lists them`)
    await deleteWebhook(tx, id)
    await dropDeliveries(tx, id, at)
    return { result: undefined, facts: [{ action: 'deleted', entity: 'webhook', entityId: String(id), before: { id, url: webhook.url } }] }
  })
}

function assertWebhookUrl(url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') || url.length > LONGEST_URL) {
    throw invalid(`url must be an absolute http or https address of at most ${LONGEST_URL} characters, such as https://example.com/hooks; got "${url.slice(0, 100)}"`)
  }
  if (parsed.username !== '' || parsed.password !== '') throw invalid('url must not hold a user name or password; verify the signature instead')
}
