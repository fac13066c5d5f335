import type { components } from '../../contract/types.ts'
import { discardQuarantine, listQuarantine, releaseQuarantine } from '../../relay/operate/quarantine.ts'
import type { QuarantineFilter, QuarantinedEvent } from '../../relay/operate/quarantine.ts'
import { formatTime } from '../../time.ts'
import type { HandlersOf } from '../operation.ts'
import { linkToNext, readIdCursor } from '../paging.ts'
import type { DeliveryHandlerDeps } from './deliveries.ts'
import { selectionOf } from './selection.ts'

const DEFAULT_LIMIT = 100

/** Events that were kept back because they violate their spec. */
export function quarantineHandlers(deps: DeliveryHandlerDeps): HandlersOf<'listQuarantine' | 'releaseQuarantine' | 'discardQuarantine'> {
  return {
    async listQuarantine({ query, request }) {
      const limit = query.limit ?? DEFAULT_LIMIT
      const found = await listQuarantine(deps, {
        ...filterOf(query),
        ...(query.message_id === undefined ? {} : { messageId: query.message_id }),
        ...(query.cursor === undefined ? {} : { after: readIdCursor(query.cursor) }),
        limit: limit + 1,
      })
      const events = found.slice(0, limit)
      return { status: 200, headers: linkToNext(request.url, found.length > limit ? [String(events.at(-1)?.id)] : undefined), body: events.map(toWire) }
    },

    async releaseQuarantine({ body, actor }) {
      const { ids } = selectionOf(body, body.ids, 'ids, source, event_name')
      const { released, kept, keptEvents } = await releaseQuarantine(deps, actor, { ...filterOf(body), ...(ids ? { ids } : {}) })
      return {
        status: 200,
        body: { released, still_invalid: kept, items: keptEvents.map(({ id, violations }) => ({ id, status: 'still_invalid', violations })) },
      }
    },

    async discardQuarantine({ query, actor }) {
      const { ids } = selectionOf(query, query.id === undefined ? undefined : [query.id], 'id, source, event_name')
      return { status: 200, body: { discarded: await discardQuarantine(deps, actor, { ...filterOf(query), ...(ids ? { ids } : {}) }) } }
    },
  }
}

function filterOf(given: { source?: string; event_name?: string }): QuarantineFilter {
  return {
    ...(given.source === undefined ? {} : { source: given.source }),
    ...(given.event_name === undefined ? {} : { eventName: given.event_name }),
  }
}

function toWire(event: QuarantinedEvent): components['schemas']['QuarantinedEvent'] {
  return {
    id: event.id,
    source: event.source,
    message_id: event.messageId,
    type: event.type as components['schemas']['CallType'],
    event_name: event.eventName ?? null,
    spec: event.spec ?? null,
    violations: event.violations,
    received_at: formatTime(event.receivedAt),
    event: { ...event.event },
  }
}
