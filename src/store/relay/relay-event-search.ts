import type { Executor } from '../db.ts'
import { readLastSequence } from './relay-sequence.ts'
import { toRelayEvent } from './relay-events.ts'
import type { RelayEvent, RelayEventRow, Verdict } from './relay-events.ts'
import { listReplaysOf } from './relay-replays.ts'

const TABLE = 'relay_events'
// Bounds the work of one search over columns that have no index: a page may be short or empty and still lead on.
const SCAN_WINDOW = 20_000

/** Which events are meant; everything that is given must hold. */
export interface RelayEventFilter {
  source?: string
  eventName?: string
  verdict?: Verdict
}

/** A stretch of the log, newest first. */
export interface RelayEventStretch {
  events: RelayEvent[]
  /** Nothing that fits lies between this number and the end that the search began at; 1 when the whole log was searched. */
  scannedFrom: number
}

/** Searches the log backwards from a number, exclusive, through a bounded stretch of it. */
export async function searchRelayEvents(db: Executor, query: RelayEventFilter & { before: number | undefined; limit: number }): Promise<RelayEventStretch> {
  const before = query.before ?? (await readLastSequence(db)) + 1
  const from = Math.max(1, before - SCAN_WINDOW)
  if (before <= 1) return { events: [], scannedFrom: 1 }
  const select = db<RelayEventRow>(TABLE).whereBetween('seq', [from, before - 1]).orderBy('seq', 'desc').limit(query.limit)
  if (query.source !== undefined) void select.where('source', query.source)
  if (query.eventName !== undefined) void select.where('event_name', query.eventName)
  if (query.verdict !== undefined) void select.where('verdict', query.verdict)
  const events = ((await select)).map(toRelayEvent)
  return { events, scannedFrom: events.length < query.limit ? from : (events.at(-1)?.seq ?? from) }
}

/** Every event with a message_id, of any source, and its replays, newest first. */
export async function findRelayEventsByMessage(db: Executor, messageId: string): Promise<RelayEvent[]> {
  const replays = await listReplaysOf(db, messageId)
  // A dedupe key is the message_id, a line feed and the source: its unique index finds the message without one of its own.
  const originals = await db<RelayEventRow>(TABLE).where('dedupe_key', '>', `${messageId}\n`).where('dedupe_key', '<', `${messageId}\u000b`)
  const repeated = replays.length === 0 ? [] : await db<RelayEventRow>(TABLE).whereIn('seq', replays.map((replay) => replay.seq))
  // Not all that the range holds need be this message: MySQL compares as if both texts were padded with spaces.
  return [...originals, ...repeated].filter((row) => row.message_id === messageId).map(toRelayEvent).toSorted((a, b) => b.seq - a.seq)
}

/** The oldest event that may still be on its way, by its number; all before it is pruned. */
export async function findFirstAcceptedSequence(db: Executor): Promise<number> {
  // The last number first: an event that is written between the two reads must lie after it.
  const last = await readLastSequence(db)
  const row = await db<RelayEventRow>(TABLE).where('verdict', 'accepted').orderBy('seq').first('seq')
  return row ? Number(row.seq) : last + 1
}
