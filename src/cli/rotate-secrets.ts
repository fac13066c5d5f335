import { rotateSecrets } from '../admin/rotate-secrets.ts'
import { readConfig } from '../config.ts'
import { secretKeepingWith } from '../secret-keeping.ts'
import { closeDatabase, openDatabase } from '../store/db.ts'
import { migrate } from '../store/migrate.ts'
import { registryMigrations } from '../store/migrations/registry/index.ts'

/** Encrypts all stored secrets with the first key of ENCRYPTION_KEY, also while the service runs. @returns the exit code */
export async function rotateSecretsCommand(env: Record<string, string | undefined>): Promise<number> {
  const config = readConfig(env)
  const db = openDatabase(config.database, secretKeepingWith(config.encryptionKeys))
  try {
    await migrate(db, registryMigrations, 'schema_migrations')
    const { keyId, destinations, webhooks } = await rotateSecrets({ db, now: Date.now }, { name: 'command line' })
    await db.dialect.forgetOverwritten(db.knex, ['destinations', 'webhooks'])
    console.log(`encrypted the secrets of ${destinations} destinations and ${webhooks} webhooks with the key ${keyId}`)
    return 0
  } finally {
    await closeDatabase(db)
  }
}
