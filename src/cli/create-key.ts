import { createKey } from '../admin/keys.ts'
import { readConfig } from '../config.ts'
import { invalid } from '../error.ts'
import { closeDatabase, openDatabase } from '../store/db.ts'
import { migrate } from '../store/migrate.ts'
import { registryMigrations } from '../store/migrations/registry/index.ts'
import type { Role } from '../store/actor.ts'

const ROLES: readonly string[] = ['viewer', 'publisher', 'admin']

/** Creates a key straight in the database: the way back for an owner who lost all keys. Prints the raw key alone, so that it can be piped. */
export async function createKeyCommand(
  env: Record<string, string | undefined>,
  options: { role: string | undefined; name: string | undefined; expiresIn: string | undefined },
): Promise<number> {
  const config = readConfig(env)
  if (options.role === undefined || !ROLES.includes(options.role)) throw invalid(`--role must be one of ${ROLES.join(', ')}`)
  const db = openDatabase(config.database)
  try {
    await migrate(db, registryMigrations, 'schema_migrations')
    const created = await createKey(
      { db, now: Date.now },
      { name: 'command line' },
      { role: options.role as Role, name: options.name, expiresIn: options.expiresIn },
    )
    console.error(`created key ${created.id} with the role ${created.role}; it is shown only this once:`)
    console.log(created.key)
    return 0
  } finally {
    await closeDatabase(db)
  }
}
