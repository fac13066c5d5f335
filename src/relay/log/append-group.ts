import type { Knex } from 'knex'
import type { Database } from '../../store/db.ts'
import { appendInOneStep } from '../../store/relay/append-events.ts'
import { addToCounters } from '../../store/relay/relay-counters.ts'
import type { RelayCounterStep } from '../../store/relay/relay-counters.ts'
import { countWrittenSequences, insertRelayEvents, listWrittenSequences } from '../../store/relay/relay-events.ts'
import { takeSequence } from '../../store/relay/relay-sequence.ts'
import type { AppendResult, NewEvent } from './log.ts'

/** Writes the requests of a group in one transaction: all of them or none. */
export async function appendGroup(db: Database, group: NewEvent[][]): Promise<{ results: AppendResult[][]; destinationIds: Set<number> }> {
  const events = group.flat()
  const written = db.dialect.hasPrograms ? await writeInOneStep(db, events) : await db.knex.transaction((tx) => writeEvents(db, tx, events))
  let at = 0
  const results = group.map((events) => events.map(() => written.results[at++] as AppendResult))
  return { results, destinationIds: written.destinationIds }
}

async function writeInOneStep(db: Database, events: NewEvent[]): Promise<{ results: AppendResult[]; destinationIds: Set<number> }> {
  const duplicates = await appendInOneStep(db, events)
  const destinationIds = new Set<number>()
  const results = events.map((event, index): AppendResult => {
    if (duplicates.has(index)) return 'duplicate'
    for (const destinationId of event.destinationIds) destinationIds.add(destinationId)
    return 'stored'
  })
  return { results, destinationIds }
}

/**
 * Writes events at the end of the log, inside a transaction that has not done anything else yet, and counts them as
 * accepted by their destinations.
 */
export async function writeEvents(
  db: Database,
  tx: Knex.Transaction,
  events: NewEvent[],
): Promise<{ results: AppendResult[]; destinationIds: Set<number> }> {
  const first = await takeSequence(tx, events.length)
  const last = first + events.length - 1
  await insertRelayEvents(db, tx, events.map((event, index) => ({ ...event, seq: first + index })))
  // Counting is cheap; only a group that holds a duplicate pays for finding out which.
  const isWhole = (await countWrittenSequences(tx, first, last)) === events.length
  const written = isWhole ? undefined : await listWrittenSequences(tx, first, last)
  const results = events.map((_, index): AppendResult => (!written || written.has(first + index) ? 'stored' : 'duplicate'))
  const steps = results.flatMap((result, index) => (result === 'stored' ? acceptedBy(events[index] as NewEvent) : []))
  await addToCounters(tx, steps)
  return { results, destinationIds: new Set(steps.map((step) => step.destinationId)) }
}

function acceptedBy(event: NewEvent): RelayCounterStep[] {
  return event.destinationIds.map((destinationId) => ({ source: event.source, destinationId, accepted: 1 }))
}
