import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { Method, TestServer } from '../support/server.ts'

interface Entry {
  id: number
  timestamp: string
  action: string
  entity: string
  entity_id: string
  user: { id: number | null; name: string | null; role: string | null }
  ip: string | null
  request_id: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  reason: string | null
}

const SPEC = { namespace: 'shop', name: 'paid', version: '1-0-0', properties: { total: { type: 'number' } } }
const SOURCE = { name: 'web', platform: '', language: '', events: [], destinations: [] }
const DESTINATION = { name: 'drain', provider: 'noop', config: {} }

/** Every kind of write that changes something, in an order in which each can, with the entry that it leaves. */
const WRITES: [method: Method, path: string, body: object | undefined, status: number, entry: string][] = [
  ['post', '/v1/admin/keys', { role: 'viewer' }, 201, 'created key'],
  ['delete', '/v1/admin/keys/2', undefined, 204, 'revoked key 2'],
  ['post', '/v1/admin/destinations', DESTINATION, 201, 'created destination drain'],
  ['put', '/v1/admin/destinations/drain', DESTINATION, 200, 'updated destination drain'],
  ['post', '/v1/admin/destinations/drain/pause', { reason: 'moving' }, 200, 'paused destination drain'],
  ['post', '/v1/admin/destinations/drain/resume', undefined, 200, 'resumed destination drain'],
  ['post', '/v1/admin/sources', SOURCE, 201, 'created source web'],
  ['put', '/v1/admin/sources/web', SOURCE, 200, 'updated source web'],
  ['delete', '/v1/admin/sources/web', undefined, 204, 'deleted source web'],
  ['delete', '/v1/admin/destinations/drain', undefined, 204, 'deleted destination drain'],
  ['post', '/v1/events', { ...SPEC, status: 'draft' }, 201, 'published event shop/paid@1-0-0'],
  ['post', '/v1/events', { ...SPEC, status: 'draft', description: 'Paid.' }, 201, 'overwritten event shop/paid@1-0-0'],
  ['put', '/v1/events/shop/paid/1-0-0/status', { status: 'active' }, 200, 'status_changed event shop/paid@1-0-0'],
  ['post', '/v1/events', { ...SPEC, description: 'Paid.', status: 'deprecated' }, 201, 'status_changed event shop/paid@1-0-0'],
  ['put', '/v1/admin/config/hooks_enabled', { value: 'true' }, 200, 'updated config hooks_enabled'],
  ['post', '/v1/webhooks', { url: 'http://127.0.0.1:9/' }, 201, 'created webhook'],
  ['put', '/v1/webhooks/1', { url: 'http://127.0.0.1:9/', namespaces: ['shop'], types: [] }, 200, 'updated webhook 1'],
  ['post', '/v1/webhooks/1/rotate', undefined, 200, 'secret_rotated webhook 1'],
  ['post', '/v1/events', { ...SPEC, name: 'told' }, 201, 'published event shop/told@1-0-0'],
  ['post', '/v1/webhooks/1/disable', { reason: 'moving' }, 200, 'disabled webhook 1'],
  ['post', '/v1/webhooks/1/enable', undefined, 200, 'enabled webhook 1'],
  ['post', '/v1/webhooks/1/deliveries/1/redeliver', undefined, 202, 'redelivered webhook 1'],
  ['delete', '/v1/webhooks/1', undefined, 204, 'deleted webhook 1'],
]

/** Calls that change nothing, refused or not. */
const NO_WRITES: [method: Method, path: string, body: object | undefined, status: number][] = [
  ['get', '/v1/audit', undefined, 200],
  ['delete', '/v1/admin/keys/2', undefined, 204],
  ['post', '/v1/events', { ...SPEC, description: 'Paid.', status: 'deprecated' }, 201],
  ['post', '/v1/events?dry_run=true', { ...SPEC, version: '2-0-0' }, 200],
  ['put', '/v1/events/shop/paid/1-0-0/status', { status: 'deprecated' }, 200],
  ['post', '/v1/events', SPEC, 409],
  ['post', '/v1/admin/sources', { name: 'a b' }, 400],
  ['put', '/v1/admin/config/colour', { value: 'red' }, 400],
  ['put', '/v1/admin/config/hooks_enabled', { value: 'perhaps' }, 400],
  ['delete', '/v1/admin/sources/none', undefined, 404],
  ['delete', '/v1/webhooks/99', undefined, 404],
  ['post', '/v1/track', { source: 'none', event_name: 'x' }, 400],
]

onEachEngine((engine) => {
  describe('the audit log', () => {
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine)
    })
    after(() => server.stop())

    const entries = async (query = 'limit=1000', key = server.adminKey) => {
      const answer = await server.call('get', `/v1/audit?${query}`, key)
      expect(answer.status, answer.text).to.equal(200)
      return answer.body as Entry[]
    }
    const setConfig = (value: string, key = server.adminKey) => server.call('put', '/v1/admin/config/relay_retention', key).send({ value })
    const label = ({ action, entity, entity_id }: Entry) => `${action} ${entity} ${entity_id}`

    it('begins with the creation of the first key', async () => {
      const [first] = await entries()
      expect(label(first as Entry)).to.equal('created key 1')
    })

    it('gets exactly one entry for every kind of write, with who, when, whence and which request', async () => {
      for (const [method, path, body, status, entry] of WRITES) {
        const before = await entries()
        const startedAt = Date.now()
        const call = server.call(method, path).set('X-Request-Id', 'req-42.a_b')
        const answer = await (body === undefined ? call : call.send(body))
        expect(answer.status, `${method} ${path} ${answer.text}`).to.equal(status)
        const after = await entries()
        const added = after.slice(0, after.length - before.length)
        expect(added, `${method} ${path}`).to.have.length(1)
        const [written] = added as [Entry]
        expect(label(written)).to.match(new RegExp(`^${entry}`))
        expect(written).to.have.all.keys('id', 'timestamp', 'action', 'entity', 'entity_id', 'user', 'ip', 'request_id', 'before', 'after', 'reason')
        expect(written.user).to.deep.equal({ id: 1, name: 'root', role: 'admin' })
        expect(written.ip).to.match(/^(::ffff:)?127\.0\.0\.1$/)
        expect(written.request_id).to.equal('req-42.a_b')
        expect(Date.parse(written.timestamp)).to.be.within(startedAt, Date.now())
        expect(after.slice(1)).to.deep.equal(before)
      }
    })

    it('gets none for a call that changes nothing', async () => {
      const before = await entries()
      for (const [method, path, body, status] of NO_WRITES) {
        const call = server.call(method, path)
        const answer = await (body === undefined ? call : call.send(body))
        expect(answer.status, `${method} ${path} ${answer.text}`).to.equal(status)
        expect(await entries(), `${method} ${path}`).to.deep.equal(before)
      }
    })

    it('makes a change fail when its entry cannot be written', async () => {
      const db = openDatabase(server.home.target)
      const trigger = engine === 'sqlite' ? `CREATE TRIGGER refuse BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'no'); END` : `CREATE TRIGGER refuse BEFORE INSERT ON audit_entries FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'`
      try {
        await db.knex.raw(trigger)
        expect((await server.call('post', '/v1/admin/sources').send({ name: 'unaudited' })).status).to.equal(500)
        expect((await setConfig('5m')).status).to.equal(500)
        await db.knex.raw('DROP TRIGGER refuse')
      } finally {
        await closeDatabase(db)
      }
      expect((await server.call('get', '/v1/admin/sources/unaudited')).status).to.equal(404)
      expect((await server.call('get', '/v1/admin/config')).text).not.to.contain('"5m"')
      expect((await server.call('post', '/v1/admin/sources').send({ name: 'unaudited' })).status).to.equal(201)
    })

    it('keeps the reason that was given', async () => {
      await server.call('post', '/v1/admin/destinations').send({ name: 'reasoned', provider: 'noop', config: {} })
      await server.call('post', '/v1/admin/destinations/reasoned/pause').send({ reason: 'because ü' })
      expect((await entries('limit=1'))[0]).to.include({ reason: 'because ü' })
    })

    it('makes a request id of its own when none came', async () => {
      const answer = await setConfig('1h')
      expect((await entries('limit=1'))[0]?.request_id).to.equal(answer.headers['x-request-id']).and.to.match(/^[0-9a-f-]{36}$/)
    })

    describe('is filtered', () => {
      it('by entity, each entry being of exactly one', async () => {
        const all = await entries()
        let sum = 0
        for (const entity of ['event', 'source', 'destination', 'key', 'webhook', 'config']) {
          const found = await entries(`entity=${entity}&limit=1000`)
          expect(found, entity).to.deep.equal(all.filter((entry) => entry.entity === entity))
          expect(found.length, entity).to.be.greaterThan(0)
          sum += found.length
        }
        expect(sum).to.equal(all.length)
      })

      it('by the id or the name of the key, and by nothing like it', async () => {
        const ada = (await server.call('post', '/v1/admin/keys').send({ role: 'admin', name: 'ada' })).body as { id: number; key: string }
        const digits = (await server.call('post', '/v1/admin/keys').send({ role: 'admin', name: '7777' })).body as { id: number; key: string }
        await setConfig('2h', ada.key)
        await setConfig('3h', digits.key)
        expect((await entries('user=ada')).map(({ after }) => after)).to.deep.equal([{ value: '2h' }])
        expect((await entries(`user=${ada.id}`)).map(({ after }) => after)).to.deep.equal([{ value: '2h' }])
        expect((await entries('user=7777')).map(({ after }) => after)).to.deep.equal([{ value: '3h' }])
        for (const user of ['ADA', 'ad', 'ada%20', '0', 'a%25', `${ada.id}abc`, `0${ada.id}`, `${ada.id}.0`, '%27%20or%201%3D1']) expect(await entries(`user=${user}`), user).to.deep.equal([])
      })

      it('by since, inclusive, and until, exclusive', async () => {
        await setConfig('4h')
        await sleep(5)
        await setConfig('5h')
        await sleep(5)
        await setConfig('6h')
        const [sixth, fifth, fourth] = (await entries('limit=3')) as [Entry, Entry, Entry]
        const between = async (since: string, until: string) => (await entries(`since=${encodeURIComponent(since)}&until=${encodeURIComponent(until)}`)).map(({ after }) => after?.['value'])
        expect(await between(fourth.timestamp, sixth.timestamp)).to.deep.equal(['5h', '4h'])
        expect(await between(fifth.timestamp, fifth.timestamp)).to.deep.equal([])
        const since = async (time: string) => (await entries(`since=${encodeURIComponent(time)}`)).map(({ id }) => id)
        expect(await since(fifth.timestamp)).to.deep.equal([sixth.id, fifth.id])
        expect(await since(new Date(Date.parse(fifth.timestamp) + 1).toISOString())).to.deep.equal([sixth.id])
        expect(await since(new Date(Date.parse(fifth.timestamp) + 3_600_000).toISOString().replace('Z', '+01:00'))).to.deep.equal([sixth.id, fifth.id])
        expect((await entries(`until=${encodeURIComponent(fourth.timestamp)}&limit=1000`)).map(({ id }) => id)).not.to.include(fourth.id)
      })

      it('by a time as people type it into an address, its colons as they are', async () => {
        const answer = await server.call('get', '/v1/audit?since=2020-01-01T00:00:00Z&until=2100-01-01T00:00:00Z')
        expect(answer.status, answer.text).to.equal(200)
        expect((answer.body as Entry[]).length).to.be.greaterThan(0)
      })

      it('by a name as people type it into an address, such as one with @ and :', async () => {
        const { key } = (await server.call('post', '/v1/admin/keys').send({ role: 'admin', name: 'ci:bot@example.com' })).body as { key: string }
        await setConfig('7h', key)
        const answer = await server.call('get', '/v1/audit?user=ci:bot@example.com')
        expect(answer.status, answer.text).to.equal(200)
        expect((answer.body as Entry[]).map(({ after }) => after)).to.deep.equal([{ value: '7h' }])
      })

      for (const query of ['since=yesterday', 'until=2026-02-30T00%3A00%3A00Z', 'since=2026-11-21', 'entity=planet', 'limit=0', 'limit=1001', 'limit=1.5', 'cursor=nonsense', 'colour=red']) {
        it(`not by ${query}: 400 that names it`, async () => {
          const answer = await server.call('get', `/v1/audit?${query}`)
          expect(answer.status).to.equal(400)
          expect(answer.body.error).to.contain(query.split('=')[0])
        })
      }

      it('to 50 entries when no limit is given, the newest first, and pages on by Link', async () => {
        for (let count = 0; count < 55; count++) await setConfig(`${count + 100}h`)
        const all = await entries()
        expect(all.map(({ id }) => id)).to.deep.equal(all.map(({ id }) => id).sort((a, b) => b - a))
        const first = await server.call('get', '/v1/audit?entity=config')
        expect(first.body).to.have.length(50)
        const seen = first.body as Entry[]
        let link = first.headers['link']
        // A change in between moves no page.
        await setConfig('999h')
        while (link !== undefined) {
          const page = await server.call('get', /^<(.+)>; rel="next"$/.exec(link)?.[1] as string)
          seen.push(...(page.body as Entry[]))
          link = page.headers['link']
        }
        expect(seen).to.deep.equal(all.filter(({ entity }) => entity === 'config'))
      })
    })

    it('keeps CR and LF inside one entry', async () => {
      const name = 'eve\r\n{"action":"deleted"}\r\nX: y'
      const eve = (await server.call('post', '/v1/admin/keys').send({ role: 'admin', name })).body as { id: number; key: string }
      const before = (await entries()).length
      await server.call('post', '/v1/admin/destinations/reasoned/pause', eve.key).send({ reason: 'a\r\nb' })
      expect(await entries()).to.have.length(before + 1)
      expect((await entries('limit=1'))[0]).to.deep.include({ user: { id: eve.id, name, role: 'admin' }, reason: 'a\r\nb' })
      expect((await entries(`user=${encodeURIComponent(name)}`)).length).to.equal(1)
    })

    it('has as many entries as changes were made at once, with ids that rise with them', async () => {
      const before = await entries()
      const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => server.call('post', '/v1/admin/sources').send({ name: `parallel-${index % 30}` })))
      const made = answers.filter(({ status }) => status === 201).length
      expect(made).to.equal(30)
      const after = await entries()
      expect(after.length - before.length).to.equal(made)
      expect(new Set(after.map(({ id }) => id)).size).to.equal(after.length)
    })

    it('survives a restart', async () => {
      const before = await entries()
      await server.restart()
      expect(await entries()).to.deep.equal(before)
    })
  })
})
