import type { components } from '../../contract/types.ts'
import type { OperateDeps } from '../../relay/operate/deliveries.ts'
import type { DeliveryTrail } from '../../relay/operate/delivery-trail.ts'
import { listTrails } from '../../relay/operate/trail.ts'
import type { EventTrail } from '../../relay/operate/trail.ts'
import { formatOptionalTime, formatTime } from '../../time.ts'
import type { HandlersOf } from '../operation.ts'
import { linkToNext, readIdCursor } from '../paging.ts'

const DEFAULT_LIMIT = 100

/** Events and what became of them. */
export function relayEventHandlers(deps: OperateDeps): HandlersOf<'listRelayEvents'> {
  return {
    async listRelayEvents({ query, request }) {
      const { trails, next } = await listTrails(deps, {
        ...(query.message_id === undefined ? {} : { messageId: query.message_id }),
        ...(query.source === undefined ? {} : { source: query.source }),
        ...(query.event_name === undefined ? {} : { eventName: query.event_name }),
        ...(query.status === undefined ? {} : { status: query.status }),
        ...(query.cursor === undefined ? {} : { before: readIdCursor(query.cursor) }),
        limit: query.limit ?? DEFAULT_LIMIT,
      })
      return { status: 200, headers: linkToNext(request.url, next === undefined ? undefined : [String(next)]), body: trails.map(trailToWire) }
    },
  }
}

function trailToWire(trail: EventTrail): components['schemas']['RelayedEvent'] {
  return {
    id: trail.id,
    message_id: trail.messageId,
    source: trail.source,
    type: trail.type as components['schemas']['CallType'],
    event_name: trail.eventName ?? null,
    status: trail.status,
    verdict: trail.verdict,
    spec: trail.spec ?? null,
    violations: trail.violations,
    received_at: formatTime(trail.receivedAt),
    timestamp: trail.event.timestamp,
    original_timestamp: trail.event.original_timestamp ?? null,
    replay_of: trail.replayOf ?? null,
    event: { ...trail.event },
    destinations: trail.deliveries.map(deliveryToWire),
  }
}

function deliveryToWire(delivery: DeliveryTrail): components['schemas']['RelayedEventDelivery'] {
  return {
    destination: delivery.destination ?? null,
    state: delivery.state,
    attempts: delivery.attempts,
    last_status: delivery.lastStatus ?? null,
    last_duration_ms: delivery.lastDurationMs ?? null,
    last_attempt_at: formatOptionalTime(delivery.lastAttemptAt),
    message: delivery.message ?? null,
    dead_letter_id: delivery.deadLetterId ?? null,
    replayed_as: delivery.replayedAs ?? null,
  }
}
