import type { Knex } from 'knex'
import type { Database, Executor } from './db.ts'

/** The kinds of thing whose changes are counted, audited and mirrored in the snapshot. */
export const REVISED_ENTITIES = ['event', 'source', 'destination', 'key', 'webhook', 'config'] as const
export type RevisedEntity = (typeof REVISED_ENTITIES)[number]

/** The revision of the whole registry, and the revision at which each kind of thing last changed. */
export type Revision = { value: number } & Record<RevisedEntity, number>

const TABLE = 'revision'
const ROW = { id: 1 }

/** Reads the revision: one row by its key, cheap enough to be asked for every group of requests. */
export async function readRevision(db: Executor): Promise<Revision> {
  return found(await db(TABLE).where(ROW).first<Revision & { id: number }>())
}

/** Opens the cheapest exact read of the revision that the engine has. The database has to be migrated. */
export function openRevisionReader(db: Database): { read: () => Promise<Revision>; close: () => Promise<void> } {
  const reader = db.dialect.openRowReader(TABLE)
  if (!reader) return { read: () => readRevision(db.knex), close: async () => {} }
  return { read: async () => found((await reader.read()) as Revision | undefined), close: () => reader.close() }
}

function found(row: Revision | undefined): Revision {
  if (!row) throw new Error('the revision row is missing: this database was not migrated')
  return row
}

/** Takes the lock that puts all changes in line, and reads the revision under it. */
export async function lockRevision(tx: Knex.Transaction): Promise<number> {
  // An update and not a read: on SQLite only a write takes the lock, and a transaction that begins with a read can fail to get it later.
  await tx(TABLE).where(ROW).update({ value: tx.ref('value') })
  return (await readRevision(tx)).value
}

/** Writes the new revision for the whole and for the kinds that changed. */
export async function raiseRevision(tx: Knex.Transaction, value: number, entities: Set<RevisedEntity>): Promise<void> {
  const step: Partial<Revision> = { value }
  for (const entity of entities) step[entity] = value
  await tx(TABLE).where(ROW).update(step)
}
