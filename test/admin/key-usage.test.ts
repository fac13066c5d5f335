import { expect } from 'chai'
import { startKeyUsage } from '../../src/admin/key-usage.ts'
import { createKey } from '../../src/admin/keys.ts'
import { findApiKey } from '../../src/store/api-keys.ts'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import type { Database } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import { registryMigrations } from '../../src/store/migrations/registry/index.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

onEachEngine((engine) => {
  describe('the last use of a key', () => {
    let home: TestDatabase
    let db: Database

    before(async () => {
      home = await createTestDatabase(engine)
      db = openDatabase(home.target)
      await migrate(db, registryMigrations, 'schema_migrations')
    })
    after(async () => {
      await closeDatabase(db)
      await home.remove()
    })

    it('of two keys in a thousand requests is written once for each, and is the latest', async () => {
      const ids: number[] = []
      for (let count = 0; count < 2; count++) ids.push((await createKey({ db, now: Date.now }, {}, { role: 'viewer' })).id)
      const writes: string[] = []
      db.knex.on('query', ({ sql }: { sql: string }) => writes.push(sql))
      const usage = startKeyUsage({ db, warn: (_facts, text) => expect.fail(text) })
      for (let request = 1; request <= 1000; request++) usage.note(ids[request % 2] as number, request)
      expect(writes).to.deep.equal([])
      await usage.stop()
      expect(writes).to.have.length(2)
      expect(await Promise.all(ids.map(async (id) => (await findApiKey(db.knex, id))?.lastUsedAt))).to.deep.equal([1000, 999])
    })
  })
})
