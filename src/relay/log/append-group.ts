import type { Knex } from 'knex'
import type { Database } from '../../store/db.ts'
import { acceptedBy, toColumns } from '../../store/relay/event-columns.ts'
import type { EventColumns } from '../../store/relay/event-columns.ts'
import { addToCounters } from '../../store/relay/relay-counters.ts'
import { insertRelayEvents } from '../../store/relay/relay-events.ts'
import type { NewEvent } from '../../store/relay/relay-event.ts'
import { takeSequence } from '../../store/relay/relay-sequence.ts'
import { runProgram } from '../../store/sqlite-thread/run-program.ts'
import type { AppendResult } from './log.ts'

/** Writes the requests of a group in one transaction: all of them or none. */
export async function appendGroup(db: Database, group: NewEvent[][]): Promise<{ results: AppendResult[][]; destinationIds: Set<number> }> {
  const columns = toColumns(group.flat())
  const { heads, headOf } = columns
  const duplicates = db.dialect.hasPrograms
    ? new Set(await runProgram<EventColumns, number[]>(db, 'appendEvents', columns, [columns.texts.buffer]))
    : await db.knex.transaction((tx) => writeColumns(db, tx, columns))
  let at = 0
  const results = group.map((events) => events.map((): AppendResult => (duplicates.has(at++) ? 'duplicate' : 'stored')))
  const destinationIds = new Set(acceptedBy({ heads, headOf }, (index) => duplicates.has(index)).map((each) => each.destinationId))
  return { results, destinationIds }
}

/**
 * Writes events at the end of the log, inside a transaction that has not done anything else yet, and counts them as
 * accepted by their destinations.
 * @returns the destinations that got something
 */
export async function writeEvents(db: Database, tx: Knex.Transaction, events: NewEvent[]): Promise<Set<number>> {
  await writeColumns(db, tx, toColumns(events))
  return new Set(events.flatMap((event) => event.destinationIds))
}

async function writeColumns(db: Database, tx: Knex.Transaction, columns: EventColumns): Promise<Set<number>> {
  const first = await takeSequence(tx, columns.headOf.length)
  const duplicates = await insertRelayEvents(db, tx, first, columns)
  await addToCounters(tx, acceptedBy(columns, (index) => duplicates.has(index)))
  return duplicates
}
