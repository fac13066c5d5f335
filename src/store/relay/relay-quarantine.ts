import type { Knex } from 'knex'
import type { Executor } from '../db.ts'
import { factsOf, lineAt } from './event-columns.ts'
import type { EventColumns, EventHead } from './event-columns.ts'
import { deleteMessageIds } from './message-ids.ts'
import type { RelayEvent, Verdict } from './relay-event.ts'

/** Events with a row each, since each may be released or discarded on its own. */
export const QUARANTINE = 'relay_quarantine'
// At 1 MB an event this is still a message that MySQL takes.
const ROWS_PER_INSERT = 8

/** A quarantined or discarded event as the database holds it. */
export interface QuarantineRow extends Omit<EventHead, 'is_replay'> {
  seq: number
  message_id: string
  received_at: number
  event: string
}

/** True for an event that gets a row of its own. */
export function isKeptApart(columns: EventColumns, index: number): boolean {
  return headAt(columns, index).verdict === 'quarantined'
}

/** The row of an event that is numbered from `first`. */
export function toQuarantineRow(first: number, columns: EventColumns, index: number): QuarantineRow {
  const { source, type, event_name, verdict, destinations, spec, violations } = headAt(columns, index)
  const event = Buffer.from(lineAt(columns, columns.lineOf[index] as number)).toString('utf8')
  const [message_id, received_at] = [columns.messageIds[index] as string, columns.receivedAts[index] as number]
  return { seq: first + index, source, message_id, type, event_name, verdict, destinations, spec, violations, received_at, event }
}

/** Writes rows. */
export async function insertQuarantined(tx: Knex.Transaction, rows: QuarantineRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) await tx(QUARANTINE).insert(rows.slice(at, at + ROWS_PER_INSERT))
}

/** Quarantined events in the order in which they came. */
export async function listQuarantined(
  db: Executor,
  query: { sequences?: number[]; source?: string; messageId?: string; eventName?: string; after?: number; limit: number },
): Promise<RelayEvent[]> {
  const select = db<QuarantineRow>(QUARANTINE).where('verdict', 'quarantined').orderBy('seq').limit(query.limit)
  if (query.sequences) select.whereIn('seq', query.sequences)
  if (query.source !== undefined) select.where('source', query.source)
  if (query.messageId !== undefined) select.where('message_id', query.messageId)
  if (query.eventName !== undefined) select.where('event_name', query.eventName)
  if (query.after !== undefined) select.where('seq', '>', query.after)
  return (await select).map(toRelayEvent)
}

/** Which of these events a search is after. */
export interface QuarantineSearch {
  first: number
  last: number
  source?: string
  type?: string
  eventNames?: string[]
  verdict?: Verdict
  limit?: number
}

/** Quarantined and discarded events of a stretch of the log, newest first. */
export async function searchQuarantine(db: Executor, { first, last, source, type, eventNames, verdict, limit }: QuarantineSearch): Promise<RelayEvent[]> {
  const select = db<QuarantineRow>(QUARANTINE).whereBetween('seq', [first, last]).orderBy('seq', 'desc')
  if (source !== undefined) void select.where('source', source)
  if (type !== undefined) void select.where('type', type)
  if (eventNames !== undefined) void select.whereIn('event_name', eventNames)
  if (verdict !== undefined) void select.where('verdict', verdict)
  if (limit !== undefined) void select.limit(limit)
  return (await select).map(toRelayEvent)
}

/** Takes quarantined events out of the log, to be written again under new numbers. @returns how many were still there */
export async function deleteQuarantined(tx: Knex.Transaction, sequences: number[]): Promise<number> {
  const deleted = await tx<QuarantineRow>(QUARANTINE).where('verdict', 'quarantined').whereIn('seq', sequences).delete()
  // Only if all were there: otherwise the caller rolls back.
  if (deleted === sequences.length) await deleteMessageIds(tx, sequences)
  return deleted
}

/** Gives quarantined events up. Their rows stay until the retention ends, so that a sender's retry is still a duplicate. */
export async function discardQuarantined(db: Executor, sequences: number[]): Promise<number> {
  return db<QuarantineRow>(QUARANTINE).where('verdict', 'quarantined').whereIn('seq', sequences).update({ verdict: 'discarded' })
}

/** Deletes up to `limit` discarded events that are old. @returns how many */
export async function deleteOldDiscarded(tx: Knex.Transaction, query: { upTo: number; receivedBefore: number; limit: number }): Promise<number> {
  // In two steps: MySQL knows no LIMIT inside IN, SQLite none on DELETE.
  const sequences = await tx<QuarantineRow>(QUARANTINE)
    .where('verdict', 'discarded')
    .where('seq', '<=', query.upTo)
    .where('received_at', '<', query.receivedBefore)
    .orderBy('seq')
    .limit(query.limit)
    .pluck('seq')
  if (sequences.length === 0) return 0
  await deleteMessageIds(tx, sequences)
  return tx(QUARANTINE).whereIn('seq', sequences).delete()
}

/** The lowest number of a row, `undefined` when there is none. */
export async function findFirstKeptApart(db: Executor): Promise<number | undefined> {
  const row = await db<QuarantineRow>(QUARANTINE).orderBy('seq').first('seq')
  return row && Number(row.seq)
}

/** Reads a row. */
export function toRelayEvent(row: QuarantineRow): RelayEvent {
  return { seq: Number(row.seq), messageId: row.message_id, receivedAt: Number(row.received_at), event: row.event, ...factsOf(row) }
}

function headAt({ heads, headOf }: EventColumns, index: number): EventHead {
  return heads[headOf[index] as number] as EventHead
}
