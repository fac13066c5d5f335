import knex from 'knex'
import type { Knex } from 'knex'
import type { DatabaseTarget, Dialect } from './dialect.ts'
import { mysqlDialect } from './mysql.ts'
import { IN_THE_CLEAR } from './secret-cipher.ts'
import type { SecretKeeping } from './secret-cipher.ts'
import { sqliteDialect } from './sqlite.ts'

/** One open database: the registry's, or the relay log's when it has a file of its own. */
export interface Database {
  knex: Knex
  dialect: Dialect
}

/** Where a query runs: the database itself, or the transaction that is open. */
export type Executor = Knex | Knex.Transaction

// Knex would write plain lines to the console; every fault it tells of also rejects a query, and is logged or answered there.
const SILENT = { warn: () => {}, error: () => {}, debug: () => {}, deprecate: () => {} }

/** Opens connections lazily; nothing is created before `migrate`. @param secrets how the secrets in its tables are encrypted */
export function openDatabase(target: DatabaseTarget, secrets: SecretKeeping = IN_THE_CLEAR): Database {
  const dialect = target.engine === 'sqlite' ? sqliteDialect(target) : mysqlDialect(target)
  const database = { knex: knex({ ...dialect.knexConfig(), log: SILENT }), dialect }
  // Knex hands these on to each transaction.
  database.knex.userParams = { secrets }
  return database
}

/** Ends every connection after the queries under way. */
export async function closeDatabase(database: Database): Promise<void> {
  await database.knex.destroy()
}
