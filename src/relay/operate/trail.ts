import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import type { Violation } from '../../registry/violation.ts'
import type { RelayEvent, Verdict } from '../../store/relay/relay-event.ts'
import { findRelayEventsByMessage, searchRelayEvents } from '../../store/relay/relay-event-search.ts'
import { eventOf } from '../kept-request.ts'
import { gatherEvidence, trailAt } from './delivery-trail.ts'
import type { DeliveryTrail } from './delivery-trail.ts'
import type { OperateDeps } from './deliveries.ts'

/**
 * What became of an event as a whole: `failed` when at least one destination will not get it, `replayed` when it goes on as
 * another event, `unrouted` when it had no destination.
 */
export type TrailStatus = 'quarantined' | 'discarded' | 'sampled_out' | 'unrouted' | 'pending' | 'delivered' | 'failed' | 'replayed'

/** Everything that is known of one event. Times are epoch milliseconds. */
export interface EventTrail {
  id: number
  messageId: string
  source: string
  type: string
  eventName: string | undefined
  status: TrailStatus
  verdict: Verdict
  /** `namespace/name@version` that judged it. */
  spec: string | undefined
  violations: Violation[]
  receivedAt: number
  /** The id of the event that this one repeats for one destination. */
  replayOf: number | undefined
  event: CanonicalEvent
  deliveries: DeliveryTrail[]
}

/** Which events are asked for; everything that is given must hold. */
export interface TrailQuery {
  messageId?: string
  source?: string
  eventName?: string
  status?: TrailStatus
  /** The id that the page before ended at. */
  before?: number
  limit: number
}

// Each step asks four questions of the database, whatever its length.
const EVENTS_PER_STEP = 500
const MOST_STEPS = 10

/**
 * The trails of events, newest first.
 * @returns `next`: where the next page begins, `undefined` on the last. A search through a long log for what is rare answers short
 * or empty pages that lead on.
 */
export async function listTrails(deps: OperateDeps, query: TrailQuery): Promise<{ trails: EventTrail[]; next: number | undefined }> {
  if (query.messageId !== undefined) return listTrailsOfMessage(deps, query.messageId, query)
  const verdict = verdictOf(query.status)
  const found: EventTrail[] = []
  let before = query.before
  for (let step = 0; step < MOST_STEPS; step++) {
    const wanted = query.limit - found.length
    const stretch = await searchRelayEvents(deps.relayDb.knex, {
      ...(query.source === undefined ? {} : { source: query.source }),
      ...(query.eventName === undefined ? {} : { eventName: query.eventName }),
      ...(verdict === undefined ? {} : { verdict }),
      before,
      // What the verdict does not tell must be looked through; what it does is taken as it comes.
      limit: query.status === undefined || verdict !== 'accepted' ? wanted : EVENTS_PER_STEP,
    })
    const trails = (await trailsOf(deps, stretch.events)).filter((trail) => query.status === undefined || trail.status === query.status)
    found.push(...trails.slice(0, wanted))
    before = trails.length > wanted ? found.at(-1)?.id : stretch.scannedFrom
    if (before !== undefined && before <= 1) return { trails: found, next: undefined }
    if (found.length === query.limit) break
  }
  return { trails: found, next: before }
}

async function listTrailsOfMessage(deps: OperateDeps, messageId: string, query: TrailQuery): Promise<{ trails: EventTrail[]; next: number | undefined }> {
  const events = await findRelayEventsByMessage(deps.relayDb.knex, messageId)
  const fitting = events.filter(
    (event) =>
      (query.source === undefined || event.source === query.source) &&
      (query.eventName === undefined || event.eventName === query.eventName) &&
      (query.before === undefined || event.seq < query.before),
  )
  const trails = (await trailsOf(deps, fitting)).filter((trail) => query.status === undefined || trail.status === query.status)
  const page = trails.slice(0, query.limit)
  return { trails: page, next: trails.length > page.length ? page.at(-1)?.id : undefined }
}

async function trailsOf(deps: OperateDeps, events: RelayEvent[]): Promise<EventTrail[]> {
  const evidence = await gatherEvidence(deps, events.map((event) => event.seq))
  return events.map((event) => {
    const deliveries = event.destinationIds.map((id) => trailAt(evidence, event.seq, id))
    return {
      id: event.seq,
      messageId: event.messageId,
      source: event.source,
      type: event.type,
      eventName: event.eventName,
      status: statusOf(event.verdict, deliveries),
      verdict: event.verdict,
      spec: event.spec,
      violations: (event.violations ?? []) as Violation[],
      receivedAt: event.receivedAt,
      replayOf: evidence.replays.find((replay) => replay.seq === event.seq)?.originalSeq,
      event: eventOf(event),
      deliveries,
    }
  })
}

function verdictOf(status: TrailStatus | undefined): Verdict | undefined {
  if (status === undefined) return undefined
  return status === 'quarantined' || status === 'discarded' || status === 'sampled_out' ? status : 'accepted'
}

function statusOf(verdict: Verdict, deliveries: DeliveryTrail[]): TrailStatus {
  if (verdict !== 'accepted') return verdict
  const states = new Set(deliveries.map((delivery) => delivery.state))
  if (states.has('dead_letter') || states.has('discarded')) return 'failed'
  if (states.has('pending') || states.has('retrying') || states.has('halted')) return 'pending'
  if (states.has('replayed')) return 'replayed'
  return deliveries.length === 0 ? 'unrouted' : 'delivered'
}
