import type { Knex } from 'knex'
import type { Executor } from '../db.ts'

const TABLE = 'relay_sequence'
const ROW = { id: 1 }

/**
 * Takes the next `count` numbers of the log. Must be the first statement of its transaction: its row lock (on SQLite the
 * write lock) is held until the commit, so the order of commits is the order of numbers and no reader can pass over an
 * event that commits late.
 * @returns the first of the numbers
 */
export async function takeSequence(tx: Knex.Transaction, count: number): Promise<number> {
  await tx(TABLE).where(ROW).increment('last', count)
  return (await readLastSequence(tx)) - count + 1
}

/** The highest number whose transaction is committed; every lower one is committed or was never used. */
export async function readLastSequence(db: Executor): Promise<number> {
  const row = await db(TABLE).where(ROW).first<{ last: number } | undefined>('last')
  if (!row) throw new Error('the relay_sequence row is missing: this database was not migrated')
  return Number(row.last)
}
