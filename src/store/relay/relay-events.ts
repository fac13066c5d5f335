import type { Knex } from 'knex'
import type { Database, Executor } from '../db.ts'
import type { EventColumns, EventKeys } from './event-columns.ts'
import { PACK_SPAN, keysIn, packEvents } from './event-pack.ts'
import type { EventPackRow } from './event-pack.ts'
import { PACKS, findFirstPacked, findOldestPacked, findPackOf, insertPacks, listPacksFor, readPacks } from './event-packs.ts'
import type { PackMemory } from './event-packs.ts'
import { deleteMessageIdsBetween, findKeys, insertMessageIds } from './message-ids.ts'
import type { RelayEvent } from './relay-event.ts'
import { QUARANTINE, deleteOldDiscarded, findFirstKeptApart, insertQuarantined, isKeptApart, toQuarantineRow } from './relay-quarantine.ts'
import { readLastSequence } from './relay-sequence.ts'

// Bounds the work of one read for a destination that few events go to.
const SCAN_WINDOW = 20_000
// Each takes three statements, and appends wait for all of them.
const MOST_PRUNED_PACKS = 100

/**
 * Writes events numbered from `first`, passing over those that are in the log already.
 * @returns the places of these
 */
export async function insertRelayEvents(db: Database, tx: Knex.Transaction, first: number, columns: EventColumns): Promise<Set<number>> {
  const duplicates = await insertKeys(db, tx, first, columns)
  const indexes = columns.headOf.map((_, index) => index)
  await insertQuarantined(tx, indexes.filter((index) => !duplicates.has(index) && isKeptApart(columns, index)).map((index) => toQuarantineRow(first, columns, index)))
  await insertPacks(db, tx, packEvents(first, columns, (index) => duplicates.has(index) || isKeptApart(columns, index)))
  return duplicates
}

async function insertKeys(db: Database, tx: Knex.Transaction, first: number, columns: EventColumns): Promise<Set<number>> {
  const { own, shared } = columns.keys
  const duplicates = await findMadeEarlier(tx, columns.keys)
  const rows = [...own.filter(({ index }) => !duplicates.has(index)), ...shared].map(({ index, key }) => ({ seq: first + index, dedupe_key: key }))
  for (const seq of await insertMessageIds(db, tx, rows)) duplicates.add(seq - first)
  return duplicates
}

/** Of the events whose id may have been made for an earlier request, those that are in the log under it. */
async function findMadeEarlier(tx: Knex.Transaction, { suspect }: EventKeys): Promise<Set<number>> {
  if (suspect.length === 0) return new Set()
  // A pack is read once, however many of its ids come back.
  const packed = new Map<string, Set<string>>()
  for (const [key, seq] of await findKeys(tx, [...new Set(suspect.map(({ key }) => key))])) {
    const pack = await findPackOf(tx, seq)
    if (pack) packed.set(key, keysIn(pack))
  }
  return new Set(suspect.flatMap(({ index, key, own }) => (packed.get(key)?.has(own) ? index : [])))
}

/** A stretch of the log as one destination sees it. */
export interface RelayEventPage {
  events: RelayEvent[]
  /** Every event of the destination up to this number is in `events` or came before the page. */
  scannedTo: number
}

/** Reads, in order, the events after a number that go to one destination. @param memory what the readers of this log share */
export async function readRelayEvents(db: Executor, query: { destinationId: number; after: number; limit: number }, memory?: PackMemory): Promise<RelayEventPage> {
  // The last number is read before the rows: an event that commits in between must not be counted as scanned.
  const last = await readLastSequence(db)
  const upTo = Math.min(last, query.after + SCAN_WINDOW)
  if (upTo <= query.after) return { events: [], scannedTo: query.after }
  const { packs, areAll } = await listPacksFor(db, { ...query, upTo })
  const events: RelayEvent[] = []
  for await (const packed of readPacks(db, packs, memory)) {
    for (const event of packed) if (event.seq > query.after && event.destinationIds.includes(query.destinationId)) events.push(event)
  }
  if (events.length > query.limit) events.length = query.limit
  if (events.length === query.limit) return { events, scannedTo: events.at(-1)?.seq ?? upTo }
  if (areAll && upTo === last) return { events, scannedTo: upTo }
  const lastPack = Number(packs.at(-1)?.last_seq ?? 0)
  // A pack may begin within the window and end beyond it, though never before the last one that ends within it.
  return { events, scannedTo: areAll ? Math.max(lastPack, upTo - PACK_SPAN) : lastPack }
}

/** The receipt time of the oldest event of a destination after a number; looks at no more than `SCAN_WINDOW` numbers. */
export async function findOldestReceipt(db: Executor, query: { destinationId: number; after: number }): Promise<number | undefined> {
  return findOldestPacked(db, { ...query, upTo: query.after + SCAN_WINDOW })
}

/** The lowest number in the log, `undefined` when it is empty. */
export async function findFirstSequence(db: Executor): Promise<number | undefined> {
  const firsts = [await findFirstPacked(db), await findFirstKeptApart(db)].filter((seq) => seq !== undefined)
  return firsts.length === 0 ? undefined : Math.min(...firsts)
}

/** Deletes events that are old and that every destination is past, `limit` and less than a pack more at most; quarantined ones stay. @returns how many */
export async function deleteOldRelayEvents(db: Knex, query: { upTo: number; receivedBefore: number; limit: number }): Promise<number> {
  return db.transaction(async (tx) => {
    let deleted = 0
    for (let packs = 0; packs < MOST_PRUNED_PACKS && deleted < query.limit; packs++) {
      const old = await tx<EventPackRow>(PACKS).where('last_seq', '<=', query.upTo).where('received_at', '<', query.receivedBefore).orderBy('last_seq').first('last_seq', 'first_seq', 'items')
      if (!old) return deleted + (await deleteOldDiscarded(tx, query))
      await tx(PACKS).where('last_seq', old.last_seq).delete()
      await deleteMessageIdsBetween(tx, [Number(old.first_seq), Number(old.last_seq)], QUARANTINE)
      deleted += (JSON.parse(old.items) as unknown[]).length
    }
    return deleted
  })
}
