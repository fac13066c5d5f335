import type { Executor } from '../db.ts'
import type { EventHead } from './event-columns.ts'
import { unpackEvents } from './event-pack.ts'
import { findFirstPacked, findPackOf, listPackHeads, readPacks } from './event-packs.ts'
import { findSequencesOfMessage } from './message-ids.ts'
import type { RelayEvent, Verdict } from './relay-event.ts'
import { searchQuarantine } from './relay-quarantine.ts'
import { listReplaysOf } from './relay-replays.ts'
import { readLastSequence } from './relay-sequence.ts'

// Bounds the work of one search over what has no index: a page may be short or empty and still lead on.
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
  const { source, eventName, verdict, limit } = query
  const isWanted = (head: EventHead) =>
    (source === undefined || head.source === source) && (eventName === undefined || head.event_name === eventName) && (verdict === undefined || head.verdict === verdict)
  const packed = await takePacked(db, [from, before - 1], isWanted, limit)
  const apart = await searchQuarantine(db, {
    first: from,
    last: before - 1,
    ...(source === undefined ? {} : { source }),
    ...(eventName === undefined ? {} : { eventNames: [eventName] }),
    ...(verdict === undefined ? {} : { verdict }),
    limit,
  })
  const events = newestFirst([...packed, ...apart]).slice(0, limit)
  return { events, scannedFrom: events.length < limit ? from : (events.at(-1)?.seq ?? from) }
}

/** Of the events numbered `first` to `last`, those of a type and, where names are given, under one of them; the newest first. */
export async function listEventsNamed(db: Executor, query: { first: number; last: number; type: string; names: string[] | undefined }): Promise<RelayEvent[]> {
  const { first, last, type, names } = query
  const isWanted = (head: EventHead) => head.type === type && (!names || (head.event_name !== null && names.includes(head.event_name)))
  const packed = await takePacked(db, [first, last], isWanted, Infinity)
  const apart = await searchQuarantine(db, { first, last, type, ...(names ? { eventNames: names } : {}) })
  return newestFirst([...packed, ...apart])
}

/** Every event with a message_id, of any source, and its replays, newest first. */
export async function findRelayEventsByMessage(db: Executor, messageId: string): Promise<RelayEvent[]> {
  const sequences = [...(await findSequencesOfMessage(db, messageId)), ...(await listReplaysOf(db, messageId)).map((replay) => replay.seq)]
  const found = new Map<number, RelayEvent>()
  for (const seq of sequences) {
    const pack = await findPackOf(db, seq)
    const events = [...(pack ? unpackEvents(pack) : []), ...(await searchQuarantine(db, { first: seq, last: seq }))]
    for (const event of events) if (event.messageId === messageId) found.set(event.seq, event)
  }
  return newestFirst([...found.values()])
}

/** The oldest event that may still be on its way, by its number; all before it is pruned. */
export async function findFirstAcceptedSequence(db: Executor): Promise<number> {
  // The last number first: an event that is written between the two reads must lie after it.
  const last = await readLastSequence(db)
  return (await findFirstPacked(db)) ?? last + 1
}

/** Up to `limit` events of a stretch that lie in packs, newest first. */
async function takePacked(db: Executor, stretch: [number, number], isWanted: (head: EventHead) => boolean, limit: number): Promise<RelayEvent[]> {
  const [first, last] = stretch
  const found: RelayEvent[] = []
  for await (const events of readPacks(db, await listPackHeads(db, stretch, isWanted))) {
    for (const event of events.toReversed()) {
      if (event.seq >= first && event.seq <= last && isWanted(asHead(event))) found.push(event)
    }
    if (found.length >= limit) break
  }
  return found
}

function asHead({ source, type, eventName, verdict }: RelayEvent): EventHead {
  return { source, type, event_name: eventName ?? null, verdict, destinations: '', spec: null, violations: null, is_replay: false }
}

function newestFirst(events: RelayEvent[]): RelayEvent[] {
  return events.toSorted((one, other) => other.seq - one.seq)
}
