import { expect } from 'chai'
import { setSetting } from '../../src/admin/settings.ts'
import { createSnapshotHolder } from '../../src/snapshot/holder.ts'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import type { Database } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import { registryMigrations } from '../../src/store/migrations/registry/index.ts'
import { readRevision } from '../../src/store/revision.ts'
import type { Revision } from '../../src/store/revision.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

onEachEngine((engine) => {
  describe('the snapshot holder', () => {
    let home: TestDatabase
    let db: Database
    let reads: number
    /** What a read waits for, and what it then does beside reading. */
    let gate: Promise<void>
    let fault: Error | undefined

    beforeEach(async () => {
      home = await createTestDatabase(engine)
      db = openDatabase(home.target)
      await migrate(db, registryMigrations, 'schema_migrations')
      reads = 0
      gate = Promise.resolve()
      fault = undefined
    })
    afterEach(async () => {
      await closeDatabase(db)
      await home.remove()
    })

    const hold = () =>
      createSnapshotHolder(db, async (): Promise<Revision> => {
        reads += 1
        const revision = await readRevision(db.knex)
        await gate
        if (fault) throw fault
        return revision
      })
    const set = (value: string) => setSetting({ db, now: Date.now }, { name: 'test' }, { key: 'relay_validation', value })

    it('serves all who ask in one turn with one read', async () => {
      const holder = hold()
      const snapshots = await Promise.all(Array.from({ length: 100 }, () => holder.current()))
      expect(new Set(snapshots).size).to.equal(1)
      expect(reads).to.equal(1)
    })

    it('keeps the same picture while nothing changes, and reads the revision for each who asks later', async () => {
      const holder = hold()
      const first = await holder.current()
      expect(await holder.current()).to.equal(first)
      expect(reads).to.equal(2)
    })

    it('shows a change to whoever asks after it, though a read from before it is still under way', async () => {
      const holder = hold()
      let open = (): void => {}
      gate = new Promise((resolve) => (open = resolve))
      const before = holder.current()
      while (reads === 0) await new Promise((resolve) => setTimeout(resolve, 5))
      await set('block')
      const after = holder.current()
      open()
      expect((await after).settings.relayValidation).to.equal('block')
      expect((await before).revision).to.be.lessThan((await after).revision)
      expect(reads).to.equal(2)
    })

    it('tells only those who waited for it that a read failed', async () => {
      const holder = hold()
      fault = new Error('out of order')
      const answers = await Promise.allSettled([holder.current(), holder.current()])
      expect(answers.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
      fault = undefined
      expect((await holder.current()).settings.relayValidation).to.equal('quarantine')
    })
  })
})
