import type { Knex } from 'knex'
import type { Database, Executor } from '../db.ts'
import { idPrefixOf } from './made-id.ts'

const TABLE = 'relay_message_ids'
const ROWS_PER_INSERT = 1000

/** The message_id of an event of the log; replays have none of their own here. */
export interface MessageIdRow {
  seq: number
  dedupe_key: string
}

/**
 * What makes two calls the same: source and message_id.
 * The source comes last because MySQL ignores spaces at the end when it compares, and a source's name never ends in one.
 */
export function dedupeKey(source: string, messageId: string): string {
  return `${messageId}\n${source}`
}

/** What stands for all ids that were made for one request. No `dedupeKey` ends in a line feed. */
export function prefixKey(source: string, idPrefix: string): string {
  return `${idPrefix}\n${source}\n`
}

/** Writes those that are not in the log yet. @param given numbers that follow on all that the table holds @returns the numbers of those that were */
export async function insertMessageIds(db: Database, tx: Knex.Transaction, given: MessageIdRow[]): Promise<Set<number>> {
  if (given.length === 0) return new Set()
  const rows = given.toSorted((one, other) => one.seq - other.seq)
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) await db.dialect.insertNew(tx, TABLE, rows.slice(at, at + ROWS_PER_INSERT), 'dedupe_key')
  const [first, last] = [rows[0]?.seq ?? 0, rows.at(-1)?.seq ?? 0]
  // Counting is cheap; only a group that holds a duplicate pays for finding out which.
  const count = await tx(TABLE).whereBetween('seq', [first, last]).count({ n: '*' }).first<{ n: number } | undefined>()
  if (Number(count?.n) === rows.length) return new Set()
  const written = new Set((await tx(TABLE).whereBetween('seq', [first, last]).pluck<(number | string)[]>('seq')).map(Number))
  return new Set(rows.flatMap(({ seq }) => (written.has(seq) ? [] : seq)))
}

/** The numbers of events that may have a message_id, of any source, or lie in one pack with it: MySQL compares as if both texts were padded with spaces. */
export async function findSequencesOfMessage(db: Executor, messageId: string): Promise<number[]> {
  const sequences: number[] = []
  for (const beginning of [messageId, idPrefixOf(messageId)]) {
    if (beginning === undefined) continue
    const rows = await db<MessageIdRow>(TABLE).where('dedupe_key', '>', `${beginning}\n`).where('dedupe_key', '<', `${beginning}\u000b`)
    sequences.push(...rows.map(({ seq }) => Number(seq)))
  }
  return sequences
}

/** The numbers that some keys stand under, by key. */
export async function findKeys(tx: Executor, keys: string[]): Promise<Map<string, number>> {
  const rows = await tx<MessageIdRow>(TABLE).whereIn('dedupe_key', keys)
  return new Map(rows.map(({ dedupe_key, seq }) => [dedupe_key, Number(seq)]))
}

/** Lets some events be forgotten, so that their like would be no duplicates. */
export async function deleteMessageIds(tx: Executor, sequences: number[]): Promise<void> {
  await tx(TABLE).whereIn('seq', sequences).delete()
}

/** As `deleteMessageIds` for a stretch of the log, without those that a table still holds on its own. */
export async function deleteMessageIdsBetween(tx: Executor, [first, last]: [number, number], keptIn: string): Promise<void> {
  const kept = tx(keptIn).whereBetween('seq', [first, last]).select('seq')
  await tx(TABLE).whereBetween('seq', [first, last]).whereNotIn('seq', kept).delete()
}
