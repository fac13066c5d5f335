import { acceptedBy } from '../relay/event-columns.ts'
import type { EventColumns, EventKeys } from '../relay/event-columns.ts'
import { keysIn, packEvents } from '../relay/event-pack.ts'
import type { EventPackRow } from '../relay/event-pack.ts'
import { isKeptApart, toQuarantineRow } from '../relay/relay-quarantine.ts'
import type { Prepare } from './program.ts'

const INSERT_ID = 'INSERT INTO relay_message_ids (seq, dedupe_key) VALUES (?, ?) ON CONFLICT (dedupe_key) DO NOTHING'
const FIND_ID = 'SELECT seq FROM relay_message_ids WHERE dedupe_key = ?'
const FIND_PACK = 'SELECT first_seq, heads, items FROM relay_packs WHERE last_seq >= ? ORDER BY last_seq LIMIT 1'
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
  const count = columns.headOf.length
  const { last } = prepare('UPDATE relay_sequence SET last = last + ? WHERE id = 1 RETURNING last').get(count) as { last: number }
  const first = last - count + 1
  const duplicates = insertKeys(prepare, first, columns)
  const isDuplicate = (index: number) => duplicates.has(index)
  insertApart(prepare, first, columns, isDuplicate)
  const insert = prepare(INSERT_PACK)
  for (const pack of packEvents(first, columns, (index) => isDuplicate(index) || isKeptApart(columns, index))) {
    insert.run(pack.last_seq, pack.first_seq, pack.received_at, pack.destinations, pack.heads, pack.items, pack.events)
  }
  countAccepted(prepare, columns, isDuplicate)
  return [...duplicates]
}

/** @returns the places of the events that are in the log already */
function insertKeys(prepare: Prepare, first: number, columns: EventColumns): Set<number> {
  const { own, shared } = columns.keys
  const insert = prepare(INSERT_ID)
  const duplicates = findMadeEarlier(prepare, columns.keys)
  for (const { index, key } of own) if (!duplicates.has(index) && insert.run(first + index, key).changes === 0) duplicates.add(index)
  for (const { index, key } of shared) insert.run(first + index, key)
  return duplicates
}

/** Of the events whose id may have been made for an earlier request, those that are in the log under it. */
function findMadeEarlier(prepare: Prepare, { suspect }: EventKeys): Set<number> {
  // A pack is read once, however many of its ids come back.
  const packed = new Map<string, Set<string>>()
  for (const key of new Set(suspect.map((each) => each.key))) {
    const row = prepare(FIND_ID).get(key) as { seq: number } | undefined
    const pack = row && (prepare(FIND_PACK).get(row.seq) as EventPackRow | undefined)
    if (pack) packed.set(key, keysIn(pack))
  }
  return new Set(suspect.flatMap(({ index, key, own }) => (packed.get(key)?.has(own) ? index : [])))
}

function insertApart(prepare: Prepare, first: number, columns: EventColumns, isDuplicate: (index: number) => boolean): void {
  const insert = prepare(INSERT_APART)
  for (let index = 0; index < columns.headOf.length; index++) {
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
