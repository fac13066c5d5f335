import type { Knex } from 'knex'
import type { Database } from './db.ts'
import type { Dialect } from './dialect.ts'

/** One numbered step of the schema; never edited once merged. MySQL does not roll DDL back, so each holds one idea. */
export interface Migration {
  /** `0001-what-it-does`; the order of the names is the order of the steps. */
  name: string
  up(knex: Knex, dialect: Dialect): Promise<void>
}

/**
 * Brings the schema up to date under a lock that all processes of this database share.
 * @param table the bookkeeping table: the registry and the relay log each have their own, since on SQLite they are two files
 * @returns the names of the steps that were missing
 * @throws Error naming the migration that failed, or that this database was written by a newer release
 */
export async function migrate(database: Database, migrations: Migration[], table: string): Promise<string[]> {
  const source: Knex.MigrationSource<Migration> = {
    getMigrations: async () => migrations,
    getMigrationName: (migration) => migration.name,
    getMigration: async (migration) => ({ up: (knex) => migration.up(knex, database.dialect), down: refuseDown }),
  }
  let applied: string[] = []
  await database.dialect.withMigrationLock(database.knex, async () => {
    // Knex's own lock is a row that a crash leaves behind; ours is held already, so a row found here is such a leftover.
    await database.knex.migrate.forceFreeMigrationsLock({ migrationSource: source, tableName: table })
    ;[, applied] = (await database.knex.migrate.latest({ migrationSource: source, tableName: table })) as [batch: number, names: string[]]
  })
  return applied
}

async function refuseDown(): Promise<void> {
  throw new Error('migrations only go forward; restore a backup to go back')
}
