import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import type { Violation } from '../../registry/violation.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { RelayEvent } from '../../store/relay/relay-event.ts'
import { deleteQuarantined, discardQuarantined, listQuarantined } from '../../store/relay/relay-quarantine.ts'
import { readLastSequence, takeSequence } from '../../store/relay/relay-sequence.ts'
import { destinationsOf } from '../accept/accept.ts'
import { judge } from '../accept/judge.ts'
import { eventOf } from '../kept-request.ts'
import { writeEvents } from '../log/append-group.ts'
import type { NewEvent, RelayLog } from '../log/log.ts'
import type { Actor } from '../../store/actor.ts'
import { audited } from './audited.ts'
import type { AuditedDeps } from './audited.ts'
import type { OperateDeps } from './deliveries.ts'

/** Which quarantined events are meant; everything that is given must hold. */
export interface QuarantineFilter {
  ids?: number[]
  source?: string
  messageId?: string
  eventName?: string
}

/** A quarantined event as an operator sees it. */
export interface QuarantinedEvent {
  id: number
  source: string
  messageId: string
  type: string
  eventName: string | undefined
  /** `namespace/name@version` that judged it. */
  spec: string | undefined
  violations: Violation[]
  receivedAt: number
  event: CanonicalEvent
}

/** Why an event stays in quarantine. */
export interface KeptEvent {
  id: number
  messageId: string
  violations: Violation[]
}

const EVENTS_PER_STEP = 500
// An answer with every one of a million events helps nobody.
const REPORTED = 100

/** Quarantined events, oldest first. @param query `after` is the id that the page before ended with */
export async function listQuarantine(deps: OperateDeps, query: QuarantineFilter & { after?: number; limit: number }): Promise<QuarantinedEvent[]> {
  const events = await listQuarantined(deps.relayDb.knex, toRowQuery(query, query))
  return events.map((row) => ({
    id: row.seq,
    source: row.source,
    messageId: row.messageId,
    type: row.type,
    eventName: row.eventName,
    spec: row.spec,
    violations: (row.violations ?? []) as Violation[],
    receivedAt: row.receivedAt,
    event: eventOf(row),
  }))
}

/**
 * Judges quarantined events by the specs and settings of now and puts those that pass at the end of the log, in their original
 * order, with their original times, for the destinations that their source has now.
 * @returns how many were released and how many stay, with the reasons of the first hundred
 */
export async function releaseQuarantine(
  deps: OperateDeps & AuditedDeps & { relayLog: RelayLog },
  actor: Actor,
  filter: QuarantineFilter,
): Promise<{ released: number; kept: number; keptEvents: KeptEvent[] }> {
  const snapshot = await deps.snapshots.current()
  const last = await readLastSequence(deps.relayDb.knex)
  return audited(deps, actor, { action: 'quarantine_released', entity: 'source', filter }, async (tally) => {
    const result = { released: 0, kept: 0, keptEvents: [] as KeptEvent[] }
    for (let after = 0; ; ) {
      const events = await listQuarantined(deps.relayDb.knex, toRowQuery(filter, { after, limit: EVENTS_PER_STEP }))
      const due = events.filter((event) => event.seq <= last)
      if (due.length === 0) return result
      const passed: { seq: number; event: NewEvent }[] = []
      const kept: KeptEvent[] = []
      for (const row of due) {
        const judged = await judgeAgain(snapshot, row)
        if ('event' in judged) passed.push({ seq: row.seq, event: judged.event })
        else kept.push({ id: row.seq, messageId: row.messageId, violations: judged.violations })
      }
      // Somebody else released or discarded some of these meanwhile: look again at what is left.
      if (!(await release(deps, passed))) continue
      for (const { event } of passed) tally.add(event.source, 'released')
      result.released += passed.length
      result.kept += kept.length
      result.keptEvents.push(...kept.slice(0, REPORTED - result.keptEvents.length))
      after = due.at(-1)?.seq ?? last
    }
  })
}

/** Gives quarantined events up; a sender's retry of one is still a duplicate. @returns how many */
export async function discardQuarantine(deps: OperateDeps & AuditedDeps, actor: Actor, filter: QuarantineFilter): Promise<number> {
  return audited(deps, actor, { action: 'quarantine_discarded', entity: 'source', filter }, async (tally) => {
    let discarded = 0
    for (;;) {
      const events = await discardSome(deps, filter)
      if (events.length === 0) return discarded
      discarded += events.length
      for (const event of events) tally.add(event.source, 'discarded')
    }
  })
}

function discardSome(deps: OperateDeps, filter: QuarantineFilter): Promise<RelayEvent[]> {
  return deps.relayDb.knex.transaction(async (tx) => {
    // The lock that releases take as well: what is read here is what is given up.
    await takeSequence(tx, 0)
    const events = await listQuarantined(tx, toRowQuery(filter, { limit: EVENTS_PER_STEP }))
    await discardQuarantined(tx, events.map((event) => event.seq))
    return events
  })
}

async function judgeAgain(snapshot: Snapshot, row: RelayEvent): Promise<{ event: NewEvent } | { violations: Violation[] }> {
  const source = snapshot.source(row.source)
  if (!source) return { violations: [{ rule: 'unknown_source', path: '/source', message: `source "${row.source}" is no longer registered; register it again first` }] }
  const event = eventOf(row)
  // An event that was kept for a person is not drawn out by sampling: the lowest draw is always in.
  const judged = await judge({ random: () => 0 }, { snapshot, source, event })
  if (judged.verdict === 'ambiguous') {
    return { violations: [{ rule: 'ambiguous', path: '', message: `several event specs fit: ${judged.candidates.join(', ')}; let the source's globs allow one of them` }] }
  }
  if (judged.verdict === 'quarantined' || judged.verdict === 'blocked') return { violations: judged.violations }
  return {
    event: {
      ...row,
      verdict: 'accepted',
      destinationIds: destinationsOf(snapshot, source),
      spec: judged.spec,
      violations: judged.violations.length > 0 ? judged.violations : undefined,
    },
  }
}

/** @returns false, with nothing changed, when somebody else took one of them in between */
async function release(deps: OperateDeps & { relayLog: RelayLog }, passed: { seq: number; event: NewEvent }[]): Promise<boolean> {
  if (passed.length === 0) return true
  const { relayDb } = deps
  try {
    const destinationIds = await relayDb.knex.transaction(async (tx) => {
      // Takes the lock of the log's writers before anything is deleted.
      await takeSequence(tx, 0)
      const deleted = await deleteQuarantined(tx, passed.map(({ seq }) => seq))
      if (deleted !== passed.length) throw new LostRace()
      // They are written anew under their own message_ids, so that a sender's retry is still a duplicate.
      return writeEvents(relayDb, tx, passed.map(({ event }) => event))
    })
    deps.relayLog.announce(destinationIds)
    return true
  } catch (error) {
    if (error instanceof LostRace) return false
    throw error
  }
}

class LostRace extends Error {}

function toRowQuery(filter: QuarantineFilter, page: { after?: number; limit: number }): Parameters<typeof listQuarantined>[1] {
  return {
    ...(filter.ids ? { sequences: filter.ids } : {}),
    ...(filter.source === undefined ? {} : { source: filter.source }),
    ...(filter.messageId === undefined ? {} : { messageId: filter.messageId }),
    ...(filter.eventName === undefined ? {} : { eventName: filter.eventName }),
    ...(page.after === undefined ? {} : { after: page.after }),
    limit: page.limit,
  }
}
