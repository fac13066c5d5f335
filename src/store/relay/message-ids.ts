import type { Knex } from 'knex'
import type { Database, Executor } from '../db.ts'

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

/** Writes those that are not in the log yet. @returns the numbers of those that were */
export async function insertMessageIds(db: Database, tx: Knex.Transaction, rows: MessageIdRow[]): Promise<Set<number>> {
  if (rows.length === 0) return new Set()
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) await db.dialect.insertNew(tx, TABLE, rows.slice(at, at + ROWS_PER_INSERT), 'dedupe_key')
  const [first, last] = [rows[0]?.seq ?? 0, rows.at(-1)?.seq ?? 0]
  // Counting is cheap; only a group that holds a duplicate pays for finding out which.
  const count = await tx(TABLE).whereBetween('seq', [first, last]).count({ n: '*' }).first<{ n: number } | undefined>()
  if (Number(count?.n) === rows.length) return new Set()
  const written = new Set((await tx(TABLE).whereBetween('seq', [first, last]).pluck<(number | string)[]>('seq')).map(Number))
  return new Set(rows.flatMap(({ seq }) => (written.has(seq) ? [] : seq)))
}

/** The numbers of the events that may have a message_id, of any source: MySQL compares as if both texts were padded with spaces. */
export async function findSequencesOfMessage(db: Executor, messageId: string): Promise<number[]> {
  const rows = await db<MessageIdRow>(TABLE).where('dedupe_key', '>', `${messageId}\n`).where('dedupe_key', '<', `${messageId}\u000b`)
  return rows.map(({ seq }) => Number(seq))
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
