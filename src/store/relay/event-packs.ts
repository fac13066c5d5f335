import type { Knex } from 'knex'
import type { Database, Executor } from '../db.ts'
import { PACK_SPAN, readHeads, unpackEvents, unpackItems } from './event-pack.ts'
import type { EventPackRow, PackHeads } from './event-pack.ts'
import type { EventHead } from './event-columns.ts'
import type { RelayEvent } from './relay-event.ts'

export const PACKS = 'relay_packs'
// Some megabytes in memory at a time.
const PACKS_PER_STEP = 8
// Each holds half a megabyte of text at most.
const MOST_REMEMBERED = 16

/** Writes packs. */
export async function insertPacks(db: Database, tx: Knex.Transaction, packs: EventPackRow[]): Promise<void> {
  for (const pack of packs) await db.dialect.insertBinary(tx, PACKS, pack)
}

/** Which packs hold events of a stretch of the log, from the newest on. */
export async function listPackHeads(db: Executor, [first, last]: [number, number], isWanted: (head: EventHead) => boolean): Promise<PackHeads[]> {
  const rows = await db(PACKS)
    .whereBetween('last_seq', [first, last + PACK_SPAN])
    .where('first_seq', '<=', last)
    .orderBy('last_seq', 'desc')
    .select<PackHeads[]>('last_seq', 'first_seq', 'heads')
  return rows.filter((row) => readHeads(row).some(isWanted))
}

/** The events of packs that are read or were read a moment ago, by the packs' last numbers; `undefined` for one that was pruned. */
export type PackMemory = Map<number, Promise<RelayEvent[] | undefined>>

/** The events of some packs, in the order of the packs, a few packs at a time. @param memory spares readers that keep pace with each other the second look */
export async function* readPacks(db: Executor, packs: Pick<EventPackRow, 'last_seq'>[], memory: PackMemory = new Map()): AsyncGenerator<RelayEvent[]> {
  for (let at = 0; at < packs.length; at += PACKS_PER_STEP) {
    const wanted = packs.slice(at, at + PACKS_PER_STEP).map(({ last_seq }) => Number(last_seq))
    const missing = wanted.filter((seq) => !memory.has(seq))
    if (missing.length > 0) fetchInto(memory, missing, db<EventPackRow>(PACKS).whereIn('last_seq', missing))
    for (const each of wanted.map((seq) => memory.get(seq))) {
      const events = await each
      if (events) yield events
    }
    for (const oldest of memory.keys()) if (memory.size > MOST_REMEMBERED) memory.delete(oldest)
  }
}

function fetchInto(memory: PackMemory, sequences: number[], query: PromiseLike<EventPackRow[]>): void {
  const found = Promise.resolve(query).then((rows) => new Map(rows.map((row) => [Number(row.last_seq), unpackEvents(row)])))
  for (const seq of sequences) {
    const events = found.then((packs) => packs.get(seq))
    // Whoever waits hears of the failure, and the next one asks anew.
    events.catch(() => memory.delete(seq))
    memory.set(seq, events)
  }
}

/** The pack that spans a number. */
export async function findPackOf(db: Executor, seq: number): Promise<EventPackRow | undefined> {
  const row = await db<EventPackRow>(PACKS).where('last_seq', '>=', seq).orderBy('last_seq').first()
  return row && Number(row.first_seq) <= seq ? row : undefined
}

/** Of the packs after a number and up to another, those with events of a destination, oldest first, until they hold `limit` numbers. */
export async function listPacksFor(db: Executor, query: { destinationId: number; after: number; upTo: number; limit: number }): Promise<{ packs: PackSpan[]; areAll: boolean }> {
  const rows = await db(PACKS)
    .whereBetween('last_seq', [query.after + 1, query.upTo])
    .where('destinations', 'like', `%,${query.destinationId},%`)
    .orderBy('last_seq')
    .limit(query.limit)
    .select<PackSpan[]>('last_seq', 'first_seq')
  let numbers = 0
  const until = rows.findIndex(({ last_seq, first_seq }) => (numbers += Number(last_seq) - Math.max(Number(first_seq) - 1, query.after)) >= query.limit)
  const packs = until < 0 ? rows : rows.slice(0, until + 1)
  return { packs, areAll: packs.length === rows.length && rows.length < query.limit }
}

type PackSpan = Pick<EventPackRow, 'last_seq' | 'first_seq'>

/** The receipt time of the oldest event of a destination after a number, looking at no pack beyond `upTo`. */
export async function findOldestPacked(db: Executor, query: { destinationId: number; after: number; upTo: number }): Promise<number | undefined> {
  const row = await db<EventPackRow>(PACKS)
    .whereBetween('last_seq', [query.after + 1, query.upTo])
    .where('destinations', 'like', `%,${query.destinationId},%`)
    .orderBy('last_seq')
    .first('first_seq', 'heads', 'items')
  return row && unpackItems(row).find(({ seq, destinationIds }) => seq > query.after && destinationIds.includes(query.destinationId))?.receivedAt
}

/** The lowest number in a pack, `undefined` when there is none. */
export async function findFirstPacked(db: Executor): Promise<number | undefined> {
  const row = await db(PACKS).orderBy('last_seq').first<{ first_seq: number } | undefined>('first_seq')
  return row && Number(row.first_seq)
}
