import type { components } from '../../contract/types.ts'
import type { AuditedDeps } from '../../relay/operate/audited.ts'
import { discardDeadLetters, listDeadLetters, replayDeadLetters } from '../../relay/operate/dead-letters.ts'
import type { DeadLetterFilter, DeadLetterView } from '../../relay/operate/dead-letters.ts'
import { listDeliveries } from '../../relay/operate/deliveries.ts'
import type { DeliveryOverview, OperateDeps } from '../../relay/operate/deliveries.ts'
import type { RelayLog } from '../../relay/log/log.ts'
import { formatOptionalTime, formatTime, parseTime } from '../../time.ts'
import type { HandlersOf } from '../operation.ts'
import { linkToNext, readIdCursor } from '../paging.ts'
import { selectionOf } from './selection.ts'

export interface DeliveryHandlerDeps extends OperateDeps, AuditedDeps {
  relayLog: RelayLog
}

type DeliveryOperations = 'listDeliveries' | 'listDeadLetters' | 'replayDeadLetters' | 'discardDeadLetters'
type WireState = components['schemas']['Delivery']['state']

const DEFAULT_LIMIT = 100
const STATES: Record<DeliveryOverview['state'], WireState> = { paused: 'paused', halted: 'paused', failing: 'retrying', delivering: 'running', idle: 'running' }

/** How deliveries fare, and what failed for good. */
export function deliveryHandlers(deps: DeliveryHandlerDeps): HandlersOf<DeliveryOperations> {
  return {
    async listDeliveries() {
      return { status: 200, body: (await listDeliveries(deps)).map(overviewToWire) }
    },

    async listDeadLetters({ query, request }) {
      const limit = query.limit ?? DEFAULT_LIMIT
      const found = await listDeadLetters(deps, {
        ...filterOf(query),
        ...(query.message_id === undefined ? {} : { messageId: query.message_id }),
        ...(query.since === undefined ? {} : { since: parseTime(query.since, 'since') }),
        ...(query.until === undefined ? {} : { until: parseTime(query.until, 'until') }),
        ...(query.cursor === undefined ? {} : { before: readIdCursor(query.cursor) }),
        limit: limit + 1,
      })
      const letters = found.slice(0, limit)
      return { status: 200, headers: linkToNext(request.url, found.length > limit ? [String(letters.at(-1)?.id)] : undefined), body: letters.map(letterToWire) }
    },

    async replayDeadLetters({ body, actor }) {
      const { ids } = selectionOf(body, body.ids, 'ids, destination, source, event_name')
      const { replayed } = await replayDeadLetters(deps, actor, { ...filterOf(body), ...(ids ? { ids } : {}) })
      return { status: 202, body: { replayed } }
    },

    async discardDeadLetters({ query, actor }) {
      const { ids } = selectionOf(query, query.id === undefined ? undefined : [query.id], 'id, destination, source, event_name')
      return { status: 200, body: { discarded: await discardDeadLetters(deps, actor, { ...filterOf(query), ...(ids ? { ids } : {}) }) } }
    },
  }
}

function filterOf(given: { destination?: string; source?: string; event_name?: string }): DeadLetterFilter {
  return {
    ...(given.destination === undefined ? {} : { destination: given.destination }),
    ...(given.source === undefined ? {} : { source: given.source }),
    ...(given.event_name === undefined ? {} : { eventName: given.event_name }),
  }
}

function overviewToWire(overview: DeliveryOverview): components['schemas']['Delivery'] {
  const { lastError, lastErrorAt } = overview
  return {
    destination: overview.destination,
    provider: overview.provider,
    state: STATES[overview.state],
    reason: overview.reason ?? null,
    backlog: overview.backlog,
    oldest_pending_at: formatOptionalTime(overview.oldestReceivedAt),
    delivered: overview.delivered,
    failed: overview.failed,
    last_error: lastError === undefined || lastErrorAt === undefined ? null : { at: formatTime(lastErrorAt), message: lastError },
    last_delivered_at: formatOptionalTime(overview.lastDeliveredAt),
  }
}

function letterToWire(letter: DeadLetterView): components['schemas']['DeadLetter'] {
  return {
    id: letter.id,
    destination: letter.destination,
    source: letter.source,
    message_id: letter.messageId,
    type: letter.type as components['schemas']['CallType'],
    event_name: letter.eventName ?? null,
    code: letter.code,
    reason: letter.reason,
    attempts: letter.attempts,
    failed_at: formatTime(letter.failedAt),
    received_at: formatTime(letter.receivedAt),
    event: { ...letter.event },
  }
}
