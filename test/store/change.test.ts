import { expect } from 'chai'
import { change } from '../../src/store/change.ts'
import { listAuditEntries } from '../../src/store/audit-entries.ts'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import type { Database } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import { registryMigrations } from '../../src/store/migrations/registry/index.ts'
import { readRevision } from '../../src/store/revision.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

onEachEngine((engine) => {
  describe('change', () => {
    let home: TestDatabase
    let db: Database

    beforeEach(async () => {
      home = await createTestDatabase(engine)
      db = openDatabase(home.target)
      await migrate(db, registryMigrations, 'schema_migrations')
    })

    afterEach(async () => {
      await closeDatabase(db)
      await home.remove()
    })

    const deps = () => ({ db, now: () => 1000 })

    it('writes one audit entry and one step of the revision with the change', async () => {
      await change(deps(), { name: 'ada' }, async () => ({ result: undefined, facts: [{ action: 'created', entity: 'source', entityId: 'web' }] }))
      expect(await readRevision(db.knex)).to.include({ value: 1, source: 1, destination: 0 })
      const entries = await listAuditEntries(db.knex, { limit: 10 })
      expect(entries.map((entry) => [entry.action, entry.entityId, entry.user.name, entry.at])).to.deep.equal([['created', 'web', 'ada', 1000]])
    })

    it('leaves nothing behind when the work throws', async () => {
      const failed = change(deps(), {}, async ({ tx }) => {
        await tx('settings').insert({ key: 'k', value: 'v', updated_at: 1 })
        throw new Error('no')
      })
      expect(await failed.catch((error: Error) => error.message)).to.equal('no')
      expect(await db.knex('settings')).to.deep.equal([])
      expect(await readRevision(db.knex)).to.include({ value: 0 })
    })

    it('leaves the revision alone when the work found nothing to change', async () => {
      await change(deps(), {}, async () => ({ result: undefined, facts: [] }))
      expect(await readRevision(db.knex)).to.include({ value: 0 })
    })

    it('runs simultaneous changes one after another, so a check inside one holds until it writes', async () => {
      const addIfNone = () =>
        change(deps(), {}, async ({ tx }) => {
          const [row] = await tx('settings').count({ n: '*' })
          if (Number(row?.['n']) > 0) return { result: false, facts: [] }
          await tx('settings').insert({ key: 'only', value: 'v', updated_at: 1 })
          return { result: true, facts: [{ action: 'set', entity: 'config' as const, entityId: 'only' }] }
        })
      const results = await Promise.all(Array.from({ length: 20 }, addIfNone))
      expect(results.filter(Boolean)).to.have.length(1)
    })

    it('migrates once when several processes start together', async () => {
      const other = openDatabase(home.target)
      try {
        await Promise.all([migrate(db, registryMigrations, 'schema_migrations'), migrate(other, registryMigrations, 'schema_migrations')])
      } finally {
        await closeDatabase(other)
      }
      expect(await db.knex('schema_migrations')).to.have.length(registryMigrations.length)
    })

    it('tells apart names that differ in case or accent only', async () => {
      for (const name of ['web', 'WEB', 'wéb']) {
        await db.knex('sources').insert({ name, platform: '', language: '', events: '[]', destinations: '[]', version_pinning: '{}', created_at: 1, updated_at: 1 })
      }
      expect(await db.knex('sources').where('name', 'WEB')).to.have.length(1)
    })

    it('commits durably', async () => {
      expect(await db.dialect.explainLossyCommits(db.knex)).to.equal(undefined)
    })
  })
})
