import { readConfig } from '../config.ts'
import { closeDatabase, openDatabase } from '../store/db.ts'
import { migrate } from '../store/migrate.ts'
import { registryMigrations } from '../store/migrations/registry/index.ts'
import { RELAY_MIGRATIONS_TABLE, relayMigrations } from '../store/migrations/relay/index.ts'
import { relayTarget } from '../store/relay/relay-target.ts'

/** Brings the database up to this release and says what was done; `start` does the same before it listens. @returns the exit code */
export async function migrateCommand(env: Record<string, string | undefined>): Promise<number> {
  const { database } = readConfig(env)
  for (const [name, target, migrations, table] of [
    ['registry', database, registryMigrations, 'schema_migrations'],
    ['relay log', relayTarget(database), relayMigrations, RELAY_MIGRATIONS_TABLE],
  ] as const) {
    const db = openDatabase(target)
    try {
      const applied = await migrate(db, migrations, table)
      console.log(applied.length === 0 ? `${name}: nothing to do, it is up to date` : `${name}: applied ${applied.join(', ')}`)
    } finally {
      await closeDatabase(db)
    }
  }
  return 0
}
