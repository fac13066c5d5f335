import type { ChangeDeps } from '../../store/change.ts'
import { listWebhooks } from '../../store/webhooks.ts'
import { formatTime } from '../../time.ts'
import { createWebhook, removeWebhook } from '../../webhooks/webhooks.ts'
import type { HandlersOf } from '../operation.ts'
import { linkToNext, pageOf, sortableId } from '../paging.ts'

export interface WebhookHandlerDeps extends ChangeDeps {
  /** @throws SignalbookError `invalid_request` for an address that the service may not call */
  assertCallable: (url: string, name: string) => void
}

/** Webhooks that hear of every publication. */
export function webhookHandlers(deps: WebhookHandlerDeps): HandlersOf<'listWebhooks' | 'createWebhook' | 'deleteWebhook'> {
  return {
    async listWebhooks({ query, request }) {
      const page = pageOf(await listWebhooks(deps.db.knex), query, ({ id }) => [sortableId(id)])
      return {
        status: 200,
        headers: linkToNext(request.url, page.next),
        body: page.items.map((webhook) => ({
          id: webhook.id,
          url: webhook.url,
          created_at: formatTime(webhook.createdAt),
          state: webhook.disabledAt === undefined ? 'active' : 'disabled',
          last_delivery: webhook.lastDeliveryAt === undefined ? null : { at: formatTime(webhook.lastDeliveryAt), status: webhook.lastDeliveryStatus ?? 0 },
        })),
      }
    },

    async createWebhook({ body, actor }) {
      deps.assertCallable(body.url, 'url')
      const { id, url, secret, createdAt } = await createWebhook(deps, actor, body.url)
      return { status: 201, headers: { Location: `/v1/webhooks/${id}` }, body: { id, url, secret, created_at: formatTime(createdAt) } }
    },

    async deleteWebhook({ path, actor }) {
      await removeWebhook(deps, actor, path.id)
      return { status: 204 }
    },
  }
}
