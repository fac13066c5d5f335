import type { Knex } from 'knex'
import type { Database, Executor } from '../db.ts'
import { readLastSequence } from './relay-sequence.ts'

const TABLE = 'relay_events'
// SQLite builds a multi-row insert as one compound select of at most 500 terms.
const ROWS_PER_INSERT = 400
// MySQL refuses a statement over max_allowed_packet, 16 MB by default.
const BYTES_PER_INSERT = 4 * 1024 * 1024
// Bounds the work of one read for a destination that few events go to.
const SCAN_WINDOW = 20_000

/** What was decided about an event when it came in; `discarded` is a quarantined one that an admin gave up. */
export type Verdict = 'accepted' | 'quarantined' | 'sampled_out' | 'discarded'

/** An event of the log. */
export interface RelayEvent {
  seq: number
  /** Unique among all events; `undefined` for replays. See `dedupeKey`. */
  dedupeKey: string | undefined
  source: string
  messageId: string
  type: string
  eventName: string | undefined
  verdict: Verdict
  /** Ids of the destinations, frozen when the event was accepted. */
  destinationIds: number[]
  /** `namespace/name@version` that judged it. */
  spec: string | undefined
  violations: unknown[] | undefined
  receivedAt: number
  /** The canonical event as JSON. */
  event: string
}

/** A row of the log as the database holds it. */
export interface RelayEventRow {
  seq: number
  dedupe_key: string | null
  source: string
  message_id: string
  type: string
  event_name: string | null
  verdict: Verdict
  destinations: string
  spec: string | null
  violations: string | null
  received_at: number
  event: string
}

/**
 * What makes two calls the same: source and message_id.
 * The source comes last because MySQL ignores spaces at the end when it compares, and a source's name never ends in one.
 */
export function dedupeKey(source: string, messageId: string): string {
  return `${messageId}\n${source}`
}

/** Writes events whose numbers are taken, passing over those whose `dedupeKey` is in the log already. */
export async function insertRelayEvents(db: Database, tx: Knex.Transaction, events: RelayEvent[]): Promise<void> {
  for (const chunk of chunked(events)) await db.dialect.insertNew(tx, TABLE, chunk.map(toRow), 'dedupe_key')
}

/** Of the numbers `first` to `last`, those that were written. */
export async function listWrittenSequences(tx: Knex.Transaction, first: number, last: number): Promise<Set<number>> {
  const rows = await tx(TABLE).whereBetween('seq', [first, last]).select<{ seq: number }[]>('seq')
  return new Set(rows.map((row) => Number(row.seq)))
}

/** How many of the numbers `first` to `last` were written. */
export async function countWrittenSequences(tx: Knex.Transaction, first: number, last: number): Promise<number> {
  const row = await tx(TABLE).whereBetween('seq', [first, last]).count({ n: '*' }).first<{ n: number } | undefined>()
  return Number(row?.n)
}

/** A stretch of the log as one destination sees it. */
export interface RelayEventPage {
  events: RelayEvent[]
  /** Every event of the destination up to this number is in `events` or came before the page. */
  scannedTo: number
}

/** Reads, in order, the events after a number that go to one destination. */
export async function readRelayEvents(db: Executor, query: { destinationId: number; after: number; limit: number }): Promise<RelayEventPage> {
  // The last number is read before the rows: an event that commits in between must not be counted as scanned.
  const last = await readLastSequence(db)
  const upTo = Math.min(last, query.after + SCAN_WINDOW)
  if (upTo <= query.after) return { events: [], scannedTo: query.after }
  const rows = (await db<RelayEventRow>(TABLE)
    .whereBetween('seq', [query.after + 1, upTo])
    .where('destinations', 'like', `%,${query.destinationId},%`)
    .orderBy('seq')
    .limit(query.limit))
  const events = rows.map(toRelayEvent)
  return { events, scannedTo: events.length < query.limit ? upTo : (events.at(-1)?.seq ?? upTo) }
}

/** The receipt time of the oldest event of a destination after a number; looks at no more than `SCAN_WINDOW` numbers. */
export async function findOldestReceipt(db: Executor, query: { destinationId: number; after: number }): Promise<number | undefined> {
  const row = await db<RelayEventRow>(TABLE)
    .whereBetween('seq', [query.after + 1, query.after + SCAN_WINDOW])
    .where('destinations', 'like', `%,${query.destinationId},%`)
    .orderBy('seq')
    .first('received_at')
  return row && Number(row.received_at)
}

/** The lowest number in the log, `undefined` when it is empty. */
export async function findFirstSequence(db: Executor): Promise<number | undefined> {
  const row = (await db(TABLE).min({ first: 'seq' }).first()) as { first: number | null } | undefined
  return row?.first === null || row?.first === undefined ? undefined : Number(row.first)
}

/** Deletes up to `limit` events that are old and that every destination is past; quarantined ones stay. @returns how many */
export async function deleteOldRelayEvents(db: Executor, query: { upTo: number; receivedBefore: number; limit: number }): Promise<number> {
  // In two steps: MySQL knows no LIMIT inside IN, SQLite none on DELETE.
  const rows = await db(TABLE)
    .where('seq', '<=', query.upTo)
    .where('received_at', '<', query.receivedBefore)
    .whereNot('verdict', 'quarantined')
    .orderBy('seq')
    .limit(query.limit)
    .select<{ seq: number }[]>('seq')
  if (rows.length === 0) return 0
  const sequences = rows.map((row) => row.seq)
  return db<RelayEventRow>(TABLE).whereIn('seq', sequences).whereNot('verdict', 'quarantined').delete()
}

/** Of the events numbered `first` to `last`, those of a type and, where names are given, under one of them; the newest first. */
export async function listEventsNamed(db: Executor, query: { first: number; last: number; type: string; names: string[] | undefined }): Promise<RelayEvent[]> {
  const select = db<RelayEventRow>(TABLE).whereBetween('seq', [query.first, query.last]).where('type', query.type).orderBy('seq', 'desc')
  if (query.names) void select.whereIn('event_name', query.names)
  return (await select).map(toRelayEvent)
}

/** Quarantined events in the order in which they came. */
export async function listQuarantined(
  db: Executor,
  query: { sequences?: number[]; source?: string; messageId?: string; eventName?: string; after?: number; limit: number },
): Promise<RelayEvent[]> {
  const select = db<RelayEventRow>(TABLE).where('verdict', 'quarantined').orderBy('seq').limit(query.limit)
  if (query.sequences) select.whereIn('seq', query.sequences)
  if (query.source !== undefined) select.where('source', query.source)
  if (query.messageId !== undefined) select.where('message_id', query.messageId)
  if (query.eventName !== undefined) select.where('event_name', query.eventName)
  if (query.after !== undefined) select.where('seq', '>', query.after)
  return ((await select)).map(toRelayEvent)
}

/** Takes quarantined events out of the log, to be written again under new numbers. @returns how many were still there */
export async function deleteQuarantined(tx: Knex.Transaction, sequences: number[]): Promise<number> {
  return tx<RelayEventRow>(TABLE).where('verdict', 'quarantined').whereIn('seq', sequences).delete()
}

/** Gives quarantined events up. Their rows stay until the retention ends, so that a sender's retry is still a duplicate. */
export async function discardQuarantined(db: Executor, sequences: number[]): Promise<number> {
  return db<RelayEventRow>(TABLE).where('verdict', 'quarantined').whereIn('seq', sequences).update({ verdict: 'discarded' })
}

function* chunked(events: RelayEvent[]): Generator<RelayEvent[]> {
  let chunk: RelayEvent[] = []
  let bytes = 0
  for (const event of events) {
    // A UTF-16 unit is at most three bytes of UTF-8.
    const size = event.event.length * 3
    if (chunk.length > 0 && (chunk.length >= ROWS_PER_INSERT || bytes + size > BYTES_PER_INSERT)) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(event)
    bytes += size
  }
  if (chunk.length > 0) yield chunk
}

/** The row of an event. */
export function toRow(event: RelayEvent): RelayEventRow {
  return {
    seq: event.seq,
    dedupe_key: event.dedupeKey ?? null,
    source: event.source,
    message_id: event.messageId,
    type: event.type,
    event_name: event.eventName ?? null,
    verdict: event.verdict,
    // Commas around every id, so that `like '%,7,%'` finds 7 and not 17.
    destinations: event.destinationIds.length === 0 ? '' : `,${event.destinationIds.join(',')},`,
    spec: event.spec ?? null,
    violations: event.violations ? JSON.stringify(event.violations) : null,
    received_at: event.receivedAt,
    event: event.event,
  }
}

/** Reads a row. */
export function toRelayEvent(row: RelayEventRow): RelayEvent {
  return {
    seq: Number(row.seq),
    dedupeKey: row.dedupe_key ?? undefined,
    source: row.source,
    messageId: row.message_id,
    type: row.type,
    eventName: row.event_name ?? undefined,
    verdict: row.verdict,
    destinationIds: row.destinations.split(',').filter(Boolean).map(Number),
    spec: row.spec ?? undefined,
    violations: row.violations === null ? undefined : JSON.parse(row.violations),
    receivedAt: Number(row.received_at),
    event: row.event,
  }
}
