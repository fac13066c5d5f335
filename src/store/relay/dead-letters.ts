import type { Knex } from 'knex'
import type { Executor } from '../db.ts'

const TABLE = 'dead_letters'
const ROWS_PER_INSERT = 200

/** An event that one destination will not get unless an admin replays it. */
export interface DeadLetter {
  id: number
  /** Its number in the log when it failed: replays keep this order. */
  seq: number
  destinationId: number
  /** The destination's name at that time. */
  destination: string
  source: string
  messageId: string
  type: string
  eventName: string | undefined
  /** Stable word, such as `rejected`, `expired`, `too_large`, `missing_identity`, `encoder_failed`. */
  code: string
  reason: string
  attempts: number
  failedAt: number
  receivedAt: number
  /** The canonical event as JSON. */
  event: string
}

/** Which dead letters are meant; everything that is given must hold. */
export interface DeadLetterFilter {
  ids?: number[]
  /** Of these events of the log. */
  sequences?: number[]
  destination?: string
  source?: string
  messageId?: string
  eventName?: string
  code?: string
  /** Failed at this time or later, epoch milliseconds. */
  since?: number
  /** Failed before this time. */
  until?: number
}

interface DeadLetterRow {
  id: number
  seq: number
  destination_id: number
  destination: string
  source: string
  message_id: string
  type: string
  event_name: string | null
  code: string
  reason: string
  attempts: number
  failed_at: number
  received_at: number
  event: string
}

/** Writes dead letters, in the settlement's transaction. */
export async function insertDeadLetters(tx: Knex.Transaction, letters: Omit<DeadLetter, 'id'>[]): Promise<void> {
  const rows = letters.map(toRow)
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) await tx(TABLE).insert(rows.slice(at, at + ROWS_PER_INSERT))
}

/** Dead letters, newest first. @param query `before` is the id that the page before ended with */
export async function listDeadLetters(db: Executor, query: DeadLetterFilter & { before?: number; limit: number }): Promise<DeadLetter[]> {
  const select = matching(db, query).orderBy('id', 'desc').limit(query.limit)
  if (query.before !== undefined) select.where('id', '<', query.before)
  return ((await select)).map(toDeadLetter)
}

/** The oldest dead letters that match, in the order of the log. */
export async function listOldestDeadLetters(db: Executor, query: DeadLetterFilter & { destinationIds?: number[]; upTo: number; limit: number }): Promise<DeadLetter[]> {
  const select = matching(db, query).where('id', '<=', query.upTo).orderBy(['seq', 'id']).limit(query.limit)
  if (query.destinationIds) select.whereIn('destination_id', query.destinationIds)
  return ((await select)).map(toDeadLetter)
}

/** Deletes dead letters by filter. @returns how many */
export async function deleteDeadLetters(db: Executor, filter: DeadLetterFilter): Promise<number> {
  return matching(db, filter).delete()
}

/** The highest id there is: what dies later is not meant by an order given now. */
export async function findLastDeadLetterId(db: Executor): Promise<number> {
  const row = (await db(TABLE).max({ last: 'id' }).first()) as { last: number | null } | undefined
  return Number(row?.last ?? 0)
}

function matching(db: Executor, filter: DeadLetterFilter) {
  const select = db<DeadLetterRow>(TABLE)
  if (filter.ids) select.whereIn('id', filter.ids)
  if (filter.sequences) select.whereIn('seq', filter.sequences)
  if (filter.destination !== undefined) select.where('destination', filter.destination)
  if (filter.source !== undefined) select.where('source', filter.source)
  if (filter.messageId !== undefined) select.where('message_id', filter.messageId)
  if (filter.eventName !== undefined) select.where('event_name', filter.eventName)
  if (filter.code !== undefined) select.where('code', filter.code)
  if (filter.since !== undefined) select.where('failed_at', '>=', filter.since)
  if (filter.until !== undefined) select.where('failed_at', '<', filter.until)
  return select
}

function toRow(letter: Omit<DeadLetter, 'id'>): Omit<DeadLetterRow, 'id'> {
  return {
    seq: letter.seq,
    destination_id: letter.destinationId,
    destination: letter.destination,
    source: letter.source,
    message_id: letter.messageId,
    type: letter.type,
    event_name: letter.eventName ?? null,
    code: letter.code.slice(0, 60),
    reason: letter.reason.slice(0, 1000),
    attempts: letter.attempts,
    failed_at: letter.failedAt,
    received_at: letter.receivedAt,
    event: letter.event,
  }
}

function toDeadLetter(row: DeadLetterRow): DeadLetter {
  return {
    id: Number(row.id),
    seq: Number(row.seq),
    destinationId: Number(row.destination_id),
    destination: row.destination,
    source: row.source,
    messageId: row.message_id,
    type: row.type,
    eventName: row.event_name ?? undefined,
    code: row.code,
    reason: row.reason,
    attempts: Number(row.attempts),
    failedAt: Number(row.failed_at),
    receivedAt: Number(row.received_at),
    event: row.event,
  }
}
