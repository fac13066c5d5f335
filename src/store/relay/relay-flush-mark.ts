import type { Database, Executor } from '../db.ts'

const TABLE = 'relay_flush_mark'
const ROW = { id: 1 }

/** Raises the mark, so that every process sees that a flush was asked for. @returns the new mark */
export async function raiseFlushMark(db: Database): Promise<number> {
  return db.knex.transaction(async (tx) => {
    await tx(TABLE).where(ROW).increment('mark', 1)
    return readFlushMark(tx)
  })
}

/** How many flushes there were. */
export async function readFlushMark(db: Executor): Promise<number> {
  const row = await db(TABLE).where(ROW).first<{ mark: number } | undefined>('mark')
  if (!row) throw new Error('the relay_flush_mark row is missing: this database was not migrated')
  return Number(row.mark)
}
