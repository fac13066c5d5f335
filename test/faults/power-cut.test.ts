import { expect } from 'chai'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import { relayTarget } from '../../src/store/relay/relay-target.ts'
import { amount } from '../support/amount.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { hasMariadb, startOwnMariadb } from '../support/own-mariadb.ts'
import type { OwnMariadb } from '../support/own-mariadb.ts'
import { spawnService } from '../support/process.ts'
import type { ServiceProcess } from '../support/process.ts'
import { pages, registerRelay, relayClient } from '../support/relay-client.ts'
import type { RelayClient } from '../support/relay-client.ts'
import { hasStrace, watchSystemCalls } from '../support/system-calls.ts'

const CALLS = amount('R2_CALLS', 30, 30)

onEachEngine((engine) => {
  describe('an answer of 202, seen from the system', function () {
    this.timeout(90_000)
    let own: OwnMariadb | undefined
    let home: TestDatabase
    let service: ServiceProcess
    let client: RelayClient

    before(async function () {
      const missing = !hasStrace() ? 'strace' : engine === 'mariadb' && !hasMariadb() ? 'mariadbd' : undefined
      if (missing !== undefined) {
        console.warn(`      skipped: ${missing} is not installed`)
        this.skip()
      }
      if (engine === 'mariadb') own = await startOwnMariadb()
      home = await createTestDatabase(engine, own?.server)
      // Without a half that delivers, whose progress is written and synced as well.
      service = await spawnService({ DATABASE_URL: home.url, ALLOW_PRIVATE_NETWORKS: 'on', ROLE: 'api' })
      client = relayClient(() => service.url)
      await registerRelay(client, { sink: { url: 'http://127.0.0.1:9/' } })
    })
    after(async () => {
      await service?.terminate()
      if (own) await own.remove()
      else await home?.remove()
    })

    it(`follows a sync of the log's file, each of ${CALLS} that come one after the other`, async () => {
      const stop = await watchSystemCalls([service.child.pid as number, ...(own ? [own.pid()] : [])])
      for (let n = 0; n < CALLS; n++) {
        const [path, body] = n % 3 === 0 ? ['/v1/batch', pages([`${n}-0`, `${n}-1`])] : ['/v1/page', { source: 'web', name: 'Home', message_id: `${n}` }]
        expect((await client.call('POST', path, body)).status).to.equal(202)
      }
      const calls = await stop()
      let isSynced = false
      const answers: boolean[] = []
      for (const { name, text } of calls) {
        if (name.endsWith('sync') && (own ? /ib_logfile0>/ : /-relay\.db-wal>/).test(text)) isSynced = true
        if (!text.includes('HTTP/1.1 202')) continue
        answers.push(isSynced)
        isSynced = false
      }
      expect(answers).to.deep.equal(Array(CALLS).fill(true))
    })
  })
})

describe('a database that could lose what it committed', function () {
  this.timeout(60_000)

  it('is refused at the start: MariaDB without a sync per commit', async function () {
    if (!hasMariadb()) {
      console.warn('      skipped: mariadbd is not installed')
      this.skip()
    }
    const own = await startOwnMariadb(['--innodb-flush-log-at-trx-commit=2'])
    try {
      const home = await createTestDatabase('mariadb', own.server)
      const start = await spawnService({ DATABASE_URL: home.url }).then(async (service) => `it started and ended with ${await service.terminate()}`, String)
      expect(start).to.contain('could lose events that were answered with 202').and.to.contain('innodb_flush_log_at_trx_commit must be 1')
    } finally {
      await own.remove()
    }
  })

  it('is SQLite with anything less than synchronous=FULL, which every connection of ours has', async () => {
    const home = await createTestDatabase('sqlite')
    for (const target of [home.target, relayTarget(home.target)]) {
      const database = openDatabase(target)
      expect(await database.knex.raw('PRAGMA synchronous')).to.deep.equal([{ synchronous: 2 }])
      expect(await database.dialect.explainLossyCommits(database.knex)).to.equal(undefined)
      await database.knex.raw('PRAGMA synchronous = NORMAL')
      expect(await database.dialect.explainLossyCommits(database.knex)).to.contain('FULL')
      await closeDatabase(database)
    }
    await home.remove()
  })
})
