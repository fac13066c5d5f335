import type { components } from '../../contract/types.ts'
import type { ChangeDeps } from '../../store/change.ts'
import { listWebhooks } from '../../store/webhooks.ts'
import type { Webhook } from '../../store/webhooks.ts'
import { formatTime } from '../../time.ts'
import { rotateSecret } from '../../webhooks/rotate-secret.ts'
import { switchOff, switchOn } from '../../webhooks/switch.ts'
import { createWebhook, removeWebhook, replaceWebhook, requireWebhook } from '../../webhooks/webhooks.ts'
import type { HandlersOf } from '../operation.ts'
import { linkToNext, pageOf, sortableId } from '../paging.ts'

type WebhookOperations =
  | 'listWebhooks'
  | 'createWebhook'
  | 'getWebhook'
  | 'replaceWebhook'
  | 'deleteWebhook'
  | 'rotateWebhookSecret'
  | 'enableWebhook'
  | 'disableWebhook'

const DEFAULT_OVERLAP = '24h'

export interface WebhookHandlerDeps extends ChangeDeps {
  /** @throws SignalbookError `invalid_request` for an address that the service may not call */
  assertCallable: (url: string, name: string) => void
}

/** Webhooks that hear of publications. */
export function webhookHandlers(deps: WebhookHandlerDeps): HandlersOf<WebhookOperations> {
  return {
    async listWebhooks({ query, request }) {
      const page = pageOf(await listWebhooks(deps.db.knex), query, ({ id }) => [sortableId(id)])
      return { status: 200, headers: linkToNext(request.url, page.next), body: page.items.map((webhook) => toWire(webhook, deps.now())) }
    },

    async createWebhook({ body, actor }) {
      deps.assertCallable(body.url, 'url')
      const { id, url, namespaces, types, secret, createdAt } = await createWebhook(deps, actor, { url: body.url, namespaces: body.namespaces ?? [], types: body.types ?? [] })
      return { status: 201, headers: { Location: `/v1/webhooks/${id}` }, body: { id, url, namespaces, types, secret, created_at: formatTime(createdAt) } }
    },

    async getWebhook({ path }) {
      return { status: 200, body: toWire(await requireWebhook(deps.db.knex, path.id), deps.now()) }
    },

    async replaceWebhook({ path, body, actor }) {
      deps.assertCallable(body.url, 'url')
      return { status: 200, body: toWire(await replaceWebhook(deps, actor, path.id, body), deps.now()) }
    },

    async deleteWebhook({ path, actor }) {
      await removeWebhook(deps, actor, path.id)
      return { status: 204 }
    },

    async rotateWebhookSecret({ path, body, actor }) {
      const { id, secret, previousUntil } = await rotateSecret(deps, actor, { id: path.id, overlap: body?.overlap ?? DEFAULT_OVERLAP })
      return { status: 200, body: { id, secret, previous_secret_until: previousUntil === undefined ? null : formatTime(previousUntil) } }
    },

    async enableWebhook({ path, actor }) {
      return { status: 200, body: toWire(await switchOn(deps, actor, path.id), deps.now()) }
    },

    async disableWebhook({ path, body, actor }) {
      return { status: 200, body: toWire(await switchOff(deps, actor, { id: path.id, reason: body?.reason }), deps.now()) }
    },
  }
}

function toWire(webhook: Webhook, now: number): components['schemas']['Webhook'] {
  const { previousSecretUntil } = webhook
  return {
    id: webhook.id,
    url: webhook.url,
    namespaces: webhook.namespaces,
    types: webhook.types,
    created_at: formatTime(webhook.createdAt),
    state: webhook.disabledAt === undefined ? 'active' : 'disabled',
    disabled_at: webhook.disabledAt === undefined ? null : formatTime(webhook.disabledAt),
    disabled_reason: webhook.disabledReason ?? null,
    failing_since: webhook.failingSince === undefined ? null : formatTime(webhook.failingSince),
    previous_secret_until: previousSecretUntil === undefined || previousSecretUntil <= now ? null : formatTime(previousSecretUntil),
    last_delivery: webhook.lastDeliveryAt === undefined ? null : { at: formatTime(webhook.lastDeliveryAt), status: webhook.lastDeliveryStatus ?? 0 },
  }
}
