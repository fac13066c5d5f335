import type { Knex } from 'knex'
import type { Actor } from './actor.ts'
import { insertAuditEntries } from './audit-entries.ts'
import type { AuditFact } from './audit-entries.ts'
import type { Database } from './db.ts'
import { lockRevision, raiseRevision } from './revision.ts'

export interface ChangeDeps {
  db: Database
  /** Epoch milliseconds. */
  now: () => number
}

/** What `change` hands to its work: the open transaction, the time of the change and the revision that it will have. */
export interface ChangeContext {
  tx: Knex.Transaction
  at: number
  revision: number
}

/**
 * Runs one change of the registry: its rows, its audit entries and one step of the revision in one transaction.
 *
 * The revision row is locked first, so changes happen one after another on every engine: a check that reads inside
 * `work` (no key exists yet, this version is free) still holds when it writes. Work that returns no fact changed
 * nothing, and the revision stays.
 */
export async function change<T>(
  deps: ChangeDeps,
  actor: Actor,
  work: (context: ChangeContext) => Promise<{ result: T; facts: AuditFact[] }>,
): Promise<T> {
  return deps.db.knex.transaction(async (tx) => {
    const revision = (await lockRevision(tx)) + 1
    const at = deps.now()
    const { result, facts } = await work({ tx, at, revision })
    if (facts.length > 0) {
      await insertAuditEntries(tx, actor, at, facts)
      await raiseRevision(tx, revision, new Set(facts.map((fact) => fact.entity)))
    }
    return result
  })
}
