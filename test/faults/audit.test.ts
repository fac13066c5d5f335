import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { seededRandom } from '../registry/diff/support/random.ts'
import { amount } from '../support/amount.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { startProcess } from '../support/two-processes.ts'
import type { CalledProcess } from '../support/two-processes.ts'
import { bootstrap } from '../support/server.ts'
import type { Method } from '../support/server.ts'
import { randomChanges } from './support/random-changes.ts'

const CHANGES = amount('A1_CHANGES', 200, 2000)
const KILLS = amount('A1_KILLS', 3, 50)
const SENDERS = 4

interface Entry {
  id: number
  action: string
  entity: string
  entity_id: string
  request_id: string
  after: Record<string, unknown> | null
}

/** The number of audit entries that a change must have left, and what it was. */
interface Expectation {
  what: string
  entries: number[]
}

onEachEngine((engine) => {
  describe('the audit log under kill -9', function () {
    this.timeout(600_000)
    let home: TestDatabase
    let service: CalledProcess
    let adminKey: string

    before(async () => {
      home = await createTestDatabase(engine)
      service = await startProcess(home)
      await bootstrap(service)
      ;({ adminKey } = service)
    })
    after(async () => {
      await service.process.terminate()
      await home.remove()
    })

    const start = async () => {
      service = await startProcess(home)
      service.adminKey = adminKey
    }

    /** Reads a list to its end, page by page. */
    const readAll = async <T>(first: string) => {
      const items: T[] = []
      for (let path: string | undefined = first; path !== undefined; ) {
        const page = await service.call('get', path)
        expect(page.status, page.text).to.equal(200)
        items.push(...(page.body as T[]))
        path = /^<(.+)>; rel="next"$/.exec(page.headers['link'] ?? '')?.[1]
      }
      return items
    }

    it(`has one entry for each of ${CHANGES} changes over ${KILLS} kills, and tells exactly what is stored`, async () => {
      const expected = new Map<string, Expectation>()
      let changes = 0

      const send = async (sender: number) => {
        const { next, learn } = randomChanges(seededRandom(sender + 1))
        for (let n = 0; changes < CHANGES; n++) {
          const { method, path, body, entries } = next()
          const requestId = `${sender}-${n}`
          const what = `${method} ${path} ${JSON.stringify(body)}`
          const call = service.call(method.toLowerCase() as Method, path).set('X-Request-Id', requestId)
          const answer = await (body === undefined ? call : call.send(body)).catch(() => undefined)
          if (!answer) {
            // Killed before the answer: the change and all its entries are there, or none of them.
            expected.set(requestId, { what, entries: [0, entries] })
            await sleep(20)
            continue
          }
          const isChange = answer.status < 300
          if (!isChange) expect([404, 409], `${what} ${answer.text}`).to.include(answer.status)
          if (isChange) changes += 1
          if (answer.status === 201) learn(path, answer.body)
          expected.set(requestId, { what, entries: [isChange ? entries : 0] })
        }
      }
      const senders = Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)))
      for (let kill = 1; kill <= KILLS; kill++) {
        while (changes < (CHANGES * kill) / (KILLS + 1)) await Promise.race([senders, sleep(5)])
        await sleep(Math.random() * 30)
        await service.process.kill()
        await start()
      }
      await senders

      const entries = await readAll<Entry>('/v1/audit?limit=1000')
      const found = Map.groupBy(entries, (entry) => entry.request_id)
      const wrong = [...expected].filter(([requestId, { entries: due }]) => !due.includes(found.get(requestId)?.length ?? 0))
      expect(wrong).to.deep.equal([])
      expect(changes).to.be.at.least(CHANGES)
      expect(new Set(entries.map(({ id }) => id)).size).to.equal(entries.length)
      expect([...found.keys()].filter((requestId) => !expected.has(requestId))).to.have.length(1, 'only the first key came from elsewhere')

      expect(await stored()).to.deep.equal(told(entries))
    })

    /** What there is, by kind: its ids, and of sources and settings all that an entry shows. */
    async function stored(): Promise<Record<string, unknown>> {
      const config = await readAll<{ key: string; value: string; updated_at: string | null }>('/v1/admin/config')
      const sources = await readAll<Record<string, unknown>>('/v1/admin/sources')
      const events = await readAll<{ namespace: string; name: string; version: string }>('/v1/events?limit=1000')
      const keys = await readAll<{ id: number; status: string }>('/v1/admin/keys')
      return {
        config: sorted(config.filter(({ updated_at: at }) => at !== null).map(({ key, value }) => [key, { value }])),
        source: sorted(sources.map(({ name, platform, language, events, destinations, version_pinning }) => [String(name), { name, platform, language, events, destinations, version_pinning }])),
        destination: sorted((await readAll<{ name: string }>('/v1/admin/destinations')).map(({ name }) => [name])),
        webhook: sorted((await readAll<{ id: number }>('/v1/webhooks')).map(({ id }) => [String(id)])),
        event: sorted(events.map(({ namespace, name, version }) => [`${namespace}/${name}@${version}`])),
        key: sorted(keys.filter(({ status }) => status === 'active').map(({ id }) => [String(id)])),
      }
    }

    /** The same, told by the entries alone. */
    function told(newestFirst: Entry[]): Record<string, unknown> {
      const latest = new Map<string, Entry>()
      for (const entry of newestFirst.toReversed()) latest.set(`${entry.entity} ${entry.entity_id}`, entry)
      const there = [...latest.values()].filter(({ action }) => !['deleted', 'revoked', 'rotated'].includes(action))
      const shows = (entity: string) => entity === 'config' || entity === 'source'
      const kinds = ['config', 'source', 'destination', 'webhook', 'event', 'key']
      return Object.fromEntries(kinds.map((kind) => [kind, sorted(there.filter(({ entity }) => entity === kind).map((entry) => (shows(kind) ? [entry.entity_id, entry.after] : [entry.entity_id])))]))
    }

    function sorted(items: [string, unknown?][]): unknown[] {
      return items.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other)))
    }
  })
})
