import { acceptedBy } from '../relay/event-columns.ts'
import type { EventColumns, EventHead } from '../relay/event-columns.ts'
import { packEvents } from '../relay/event-pack.ts'
import { dedupeKey } from '../relay/message-ids.ts'
import { isKeptApart, toQuarantineRow } from '../relay/relay-quarantine.ts'
import type { Prepare } from './program.ts'

const INSERT_ID = 'INSERT INTO relay_message_ids (seq, dedupe_key) VALUES (?, ?) ON CONFLICT (dedupe_key) DO NOTHING'
const INSERT_PACK = 'INSERT INTO relay_packs (last_seq, first_seq, received_at, destinations, heads, items, events) VALUES (?, ?, ?, ?, ?, ?, ?)'
const INSERT_APART = `
  INSERT INTO relay_quarantine (seq, source, message_id, type, event_name, verdict, destinations, spec, violations, received_at, event)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const COUNT = `
  INSERT INTO relay_counters (source, destination_id, accepted) VALUES (?, ?, ?)
  ON CONFLICT (source, destination_id) DO UPDATE SET accepted = accepted + excluded.accepted`

/**
 * Writes a group at the end of the log in one transaction, and counts what each destination got of it.
 * @returns the places of the events that are in the log already
 */
export function appendEvents(prepare: Prepare, columns: EventColumns): number[] {
  // The write lock at once: a transaction that begins with a read can fail to get it later.
  prepare('BEGIN IMMEDIATE').run()
  try {
    const duplicates = write(prepare, columns)
    prepare('COMMIT').run()
    return duplicates
  } catch (error) {
    rollBack(prepare)
    throw error
  }
}

function write(prepare: Prepare, columns: EventColumns): number[] {
  const count = columns.ends.length
  const { last } = prepare('UPDATE relay_sequence SET last = last + ? WHERE id = 1 RETURNING last').get(count) as { last: number }
  const first = last - count + 1
  const duplicates = insertIds(prepare, first, columns)
  const isDuplicate = (index: number) => duplicates.has(index)
  insertApart(prepare, first, columns, isDuplicate)
  const insert = prepare(INSERT_PACK)
  for (const pack of packEvents(first, columns, (index) => isDuplicate(index) || isKeptApart(columns, index))) {
    insert.run(pack.last_seq, pack.first_seq, pack.received_at, pack.destinations, pack.heads, pack.items, pack.events)
  }
  countAccepted(prepare, columns, isDuplicate)
  return [...duplicates]
}

function insertIds(prepare: Prepare, first: number, { heads, headOf, messageIds }: EventColumns): Set<number> {
  const insert = prepare(INSERT_ID)
  const duplicates = new Set<number>()
  for (let index = 0; index < messageIds.length; index++) {
    const { is_replay, source } = heads[headOf[index] as number] as EventHead
    if (!is_replay && insert.run(first + index, dedupeKey(source, messageIds[index] as string)).changes === 0) duplicates.add(index)
  }
  return duplicates
}

function insertApart(prepare: Prepare, first: number, columns: EventColumns, isDuplicate: (index: number) => boolean): void {
  const insert = prepare(INSERT_APART)
  for (let index = 0; index < columns.ends.length; index++) {
    if (!isKeptApart(columns, index) || isDuplicate(index)) continue
    const row = toQuarantineRow(first, columns, index)
    insert.run(row.seq, row.source, row.message_id, row.type, row.event_name, row.verdict, row.destinations, row.spec, row.violations, row.received_at, row.event)
  }
}

function countAccepted(prepare: Prepare, columns: EventColumns, isDuplicate: (index: number) => boolean): void {
  const statement = prepare(COUNT)
  for (const { source, destinationId, accepted } of acceptedBy(columns, isDuplicate)) statement.run(source, destinationId, accepted)
}

function rollBack(prepare: Prepare): void {
  try {
    prepare('ROLLBACK').run()
  } catch {
    // A full disk makes SQLite roll back by itself; the fault that is reported came first.
  }
}
