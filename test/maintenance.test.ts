import { expect } from 'chai'
import { DAY } from '../src/duration.ts'
import { clean } from '../src/maintenance.ts'
import { createSnapshotHolder } from '../src/snapshot/holder.ts'
import { closeDatabase, openDatabase } from '../src/store/db.ts'
import { onEachEngine } from './support/database.ts'
import { startTestServer } from './support/server.ts'
import type { TestServer } from './support/server.ts'

onEachEngine((engine) => {
  describe('the retention of the audit log', () => {
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine)
    })
    after(() => server.stop())

    it('deletes the entries that are older than audit_retention, and no other', async () => {
      await server.call('put', '/v1/admin/config/audit_retention').send({ value: '7d' })
      const count = async () => ((await server.call('get', '/v1/audit')).body as unknown[]).length
      const db = openDatabase(server.home.target)
      try {
        const cleanAt = (now: number) => clean({ db, snapshots: createSnapshotHolder(db), now: () => now, warn: (_facts, text) => expect.fail(text) })
        const writtenAt = Date.now()
        await cleanAt(writtenAt + 7 * DAY - 60_000)
        expect(await count()).to.equal(2)
        await cleanAt(writtenAt + 7 * DAY + 60_000)
        expect(await count()).to.equal(0)
      } finally {
        await closeDatabase(db)
      }
    })
  })
})
