import type { Knex } from 'knex'
import { conflict } from '../error.ts'
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
 * @throws Error naming the migration that failed; SignalbookError `conflict` for a database that a newer release has written
 */
export async function migrate(database: Database, migrations: Migration[], table: string): Promise<string[]> {
  const source: Knex.MigrationSource<Migration> = {
    getMigrations: async () => migrations,
    getMigrationName: (migration) => migration.name,
    getMigration: async (migration) => ({ up: (knex) => migration.up(knex, database.dialect), down: refuseDown }),
  }
  let applied: string[] = []
  await database.dialect.withMigrationLock(database.knex, async () => {
    await assertNotNewer(database, migrations, table)
    // Knex's own lock is a row that a crash leaves behind; ours is held already, so a row found here is such a leftover.
    await database.knex.migrate.forceFreeMigrationsLock({ migrationSource: source, tableName: table })
    ;[, applied] = (await database.knex.migrate.latest({ migrationSource: source, tableName: table })) as [batch: number, names: string[]]
  })
  return applied
}

async function assertNotNewer({ knex }: Database, migrations: Migration[], table: string): Promise<void> {
  if (!(await knex.schema.hasTable(table))) return
  const known = new Set(migrations.map(({ name }) => name))
  const newer = (await knex(table).select<{ name: string }[]>('name')).map(({ name }) => name).filter((name) => !known.has(name))
  if (newer.length > 0) throw conflict(`a newer release has written this database (${newer.join(', ')}); run that release, or restore the backup from before the upgrade`)
}

async function refuseDown(): Promise<void> {
  throw new Error('migrations only go forward; restore a backup to go back')
}
