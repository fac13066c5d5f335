import { DatabaseSync } from 'node:sqlite'
import { rm, stat } from 'node:fs/promises'
import { expect } from 'chai'
import { signalbook } from '../cli/command-line.ts'
import { relayTarget } from '../../src/store/relay/relay-target.ts'
import { amount } from '../support/amount.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import { startHonestLoad } from '../support/honest-load.ts'
import { spawnService } from '../support/process.ts'
import { relayClient } from '../support/relay-client.ts'
import { startRelayUnderTest } from '../support/relay-under-test.ts'
import type { RelayUnderTest } from '../support/relay-under-test.ts'

const BACKUPS = amount('O6_BACKUPS', 2, 10)

/** What a copy says of itself, read by a connection that only reads. */
function inspect(filename: string): { integrity: string; ids: (sql: string) => Set<string> } {
  const db = new DatabaseSync(filename, { readOnly: true })
  const texts = (sql: string) => db.prepare(sql).all().map((row) => String(Object.values(row)[0]))
  const integrity = texts('PRAGMA integrity_check').join()
  return { integrity, ids: (sql) => new Set(texts(sql)) }
}

describe('signalbook backup', () => {
  describe(`of SQLite under load, ${BACKUPS} times`, function () {
    this.timeout(60_000 + BACKUPS * 30_000)
    let relay: RelayUnderTest

    before(async () => {
      relay = await startRelayUnderTest('sqlite', { settings: { batch: true, batch_size: 100 } })
    })
    after(() => relay.close())

    it('opens, is whole, holds all that was acknowledged before it began, and a service runs on it', async () => {
      const load = startHonestLoad(relay)
      const directory = relay.env['DATABASE_URL']?.replace(/^sqlite:/, '').replace(/signalbook\.db$/, '') ?? ''
      for (let n = 0; n < BACKUPS; n++) {
        const file = `${directory}copy-${n}.db`
        // Destinations come while it runs: the copy of the log must name none that the copy of the registry lacks.
        const acknowledged = new Set(load.acknowledged)
        const running = signalbook(['backup', file], { DATABASE_URL: relay.env['DATABASE_URL'] as string })
        let isDone = false
        const registering = (async () => {
          for (let at = 0; !isDone; at++) {
            const name = `late-${n}-${at}`
            await relay.client.call('POST', '/v1/admin/destinations', { name, provider: 'noop', config: {} })
            await relay.client.call('PUT', '/v1/admin/sources/web', { name: 'web', platform: '', language: '', events: [], destinations: ['sink', name] })
          }
        })()
        const { code, stdout, stderr } = await running
        isDone = true
        await registering
        expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
        const log = (relayTarget({ engine: 'sqlite', filename: file }) as { filename: string }).filename
        expect(stdout).to.equal(`${log}\n${file}\n`)

        const copies = { registry: inspect(file), log: inspect(log) }
        expect({ registry: copies.registry.integrity, log: copies.log.integrity }).to.deep.equal({ registry: 'ok', log: 'ok' })
        const stored = copies.log.ids('SELECT substr(dedupe_key, 1, instr(dedupe_key, char(10)) - 1) FROM relay_message_ids')
        expect(acknowledged.size, 'the load itself').to.be.greaterThan(n === 0 ? -1 : 20)
        expect([...acknowledged].filter((id) => !stored.has(id)), `of ${acknowledged.size} acknowledged events`).to.deep.equal([])
        const known = copies.registry.ids('SELECT id FROM destinations')
        const named = [...copies.log.ids('SELECT DISTINCT destinations FROM relay_packs')].flatMap((ids) => ids.split(',').filter(Boolean))
        expect(named.length).to.be.greaterThan(0)
        expect(named.filter((id) => !known.has(id)), 'destinations that only the log knows').to.deep.equal([])
        // That takes luck to catch; why it cannot happen does not: the log's copy was written before the registry's.
        expect((await stat(log)).mtimeMs).to.be.lessThan((await stat(file)).mtimeMs)
        await expectRunning(file, [...acknowledged].at(-1))
        for (const each of [file, log]) await rm(each)
      }
      await load.stop()
      expect(await load.missing()).to.deep.equal([])
    })

    /** Starts a service on a copy: the old key opens it, an old event is known, a new one is taken. */
    const expectRunning = async (file: string, messageId: string | undefined) => {
      const copy = await spawnService({ DATABASE_URL: `sqlite:${file}`, ALLOW_PRIVATE_NETWORKS: 'on' })
      try {
        const client = relayClient(() => copy.url, relay.client.key)
        if (messageId !== undefined) {
          const found = await client.call('GET', `/v1/admin/relay/events?message_id=${messageId}`)
          expect((found.body as { message_id: string }[])[0]?.message_id).to.equal(messageId)
        }
        expect((await client.call('POST', '/v1/page', { source: 'web', name: 'Home', message_id: 'after-the-restore' })).status).to.equal(202)
      } finally {
        expect(await copy.terminate()).to.equal(0)
      }
    }

    it('overwrites nothing, and says in a sentence what it cannot do', async () => {
      const env = { DATABASE_URL: relay.env['DATABASE_URL'] as string }
      const file = env.DATABASE_URL.replace('sqlite:', '')
      for (const [args, DATABASE_URL, wanted] of [
        [[file], env.DATABASE_URL, 'exists already'],
        [[], env.DATABASE_URL, 'signalbook backup FILE'],
        [['/proc/copy.db'], env.DATABASE_URL, 'unable to open'],
        [[`${file}.copy`], `sqlite:${file}.missing`, 'there is no database'],
        [[`${file}.copy`], 'sqlite::memory:', 'in memory'],
      ] as const) {
        const { code, stdout, stderr } = await signalbook(['backup', ...args], { DATABASE_URL })
        expect({ code, stdout }, stderr).to.deep.equal({ code: 2, stdout: '' })
        expect(stderr).to.include(wanted).and.not.to.match(/^\s+at /m)
      }
    })
  })

  onEachEngine((engine) => {
    if (engine === 'sqlite') return
    it('leaves MySQL to mysqldump', async function () {
      this.timeout(20_000)
      const home = await createTestDatabase(engine)
      const { code, stderr } = await signalbook(['backup', '/tmp/copy.db'], { DATABASE_URL: home.url })
      await home.remove()
      expect(code).to.equal(2)
      expect(stderr).to.include('mysqldump --single-transaction')
    })
  })
})
