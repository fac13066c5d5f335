import { setTimeout as sleep } from 'node:timers/promises'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { Webhook as Verifier } from 'standardwebhooks'
import document from '../../src/contract/document.json' with { type: 'json' }
import { publishSpec } from '../../src/registry/publish.ts'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import { announce } from '../../src/webhooks/announce.ts'
import { eventually } from '../admin/support/eventually.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Received, Receiver } from '../relay/support/receiver.ts'
import { onEachEngine } from '../support/database.ts'
import { startOn, startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
// A dispatcher that missed its call looks again after five seconds.
const SOON_MS = 10_000

interface Payload {
  type: string
  id: string
  timestamp: string
  published_by: string | null
  event: Record<string, unknown>
  previous_version: string | null
  changes: { kind: string; field: string }[]
}

/** What the contract says of a payload, as sentences; empty when it fits. */
function faultsOf(payload: unknown): string {
  const ajv = new Ajv({ strict: false, validateFormats: false, schemas: [{ ...(document as object), $id: 'contract' }] })
  const validate = ajv.compile({ $ref: 'contract#/components/schemas/WebhookPayload' })
  return validate(payload) ? '' : ajv.errorsText(validate.errors)
}

onEachEngine((engine) => {
  describe('a publication', () => {
    let server: TestServer
    let receiver: Receiver
    let secret: string
    let named = 0

    before(async () => {
      server = await startTestServer(engine)
      receiver = await startReceiver()
      secret = (await server.call('post', '/v1/webhooks').send({ url: receiver.url })).body.secret as string
    })
    after(async () => {
      await server.stop()
      await receiver.close()
    })

    /** A name that no other test uses. */
    const freshName = () => `event_${++named}`
    const publish = (spec: object, query = '') => server.call('post', `/v1/events${query}`).send({ namespace: 'shop', ...spec })
    const about = (name: string) => receiver.requests.filter(({ body }) => (JSON.parse(body) as Payload).event['name'] === name)
    const heard = async (name: string, count = 1): Promise<Received[]> => {
      await eventually(`the webhook hears of ${name} ${count} times`, () => about(name).length >= count, SOON_MS)
      return about(name)
    }
    const deliveryCount = async () => {
      const db = openDatabase(server.home.target)
      const rows = await db.knex('webhook_deliveries')
      await closeDatabase(db)
      return rows.length
    }

    it('is announced with type, id, time, publisher, the spec, the version before and the changes', async () => {
      const name = freshName()
      await publish({ name, version: '1-0-0', properties: { total: { type: 'number' } } })
      await heard(name, 1)
      const { body: published } = await publish({ name, properties: { total: { type: 'number', required: true } } })
      const [, request] = (await heard(name, 2)) as [Received, Received]
      const payload = JSON.parse(request.body) as Payload
      expect(Object.keys(payload)).to.deep.equal(['type', 'id', 'timestamp', 'published_by', 'event', 'previous_version', 'changes'])
      expect(payload).to.deep.include({ type: 'event.published', published_by: 'root', previous_version: '1-0-0', changes: published.changes })
      expect(payload.changes[0]).to.include({ kind: 'MAJOR', field: 'properties' })
      expect(payload.event).to.deep.include({ namespace: 'shop', name, version: '2-0-0', status: 'active', type: 'track', event_name: name, properties: { total: { type: 'number', required: true } } })
      expect(payload.timestamp).to.match(TIME)
      expect(request.headers).to.include({ 'content-type': 'application/json', 'webhook-id': payload.id })
      expect(payload.id).to.match(/^msg_[A-Za-z0-9-]{20,}$/)
    })

    it('is announced in the shape that the contract publishes', async () => {
      const name = freshName()
      await publish({ name, version: '1-0-0' })
      await server.call('put', `/v1/events/shop/${name}/1-0-0/status`).send({ status: 'deprecated' })
      for (const { body } of await heard(name, 2)) expect(faultsOf(JSON.parse(body)), body.slice(0, 40)).to.equal('')
    })

    it('is announced with the very spec that a read answers', async () => {
      const name = freshName()
      await publish({ name, provider_overrides: { ga4: null } })
      const [request] = (await heard(name)) as [Received]
      expect((JSON.parse(request.body) as Payload).event).to.deep.equal((await server.call('get', `/v1/events/shop/${name}`)).body)
    })

    it('is announced with a signature that the library of Standard Webhooks verifies, and refuses after one flipped bit anywhere', async () => {
      const name = freshName()
      await publish({ name, description: 'Umlaute äöü and an emoji 🛒.' })
      const [{ body, headers }] = (await heard(name)) as [Received]
      const verifier = new Verifier(secret)
      expect(verifier.verify(body, headers as Record<string, string>)).to.deep.equal(JSON.parse(body))
      const bytes = Buffer.from(body)
      for (let at = 0; at < bytes.length; at++) {
        const flipped = Buffer.from(bytes)
        flipped[at] = (flipped[at] as number) ^ 1
        expect(() => verifier.verify(flipped, headers as Record<string, string>), `byte ${at}`).to.throw()
      }
      for (const header of ['webhook-id', 'webhook-timestamp']) {
        expect(() => verifier.verify(body, { ...(headers as Record<string, string>), [header]: `${headers[header] as string}1` }), header).to.throw()
      }
      expect(() => new Verifier(`whsec_${Buffer.alloc(32).toString('base64')}`).verify(body, headers as Record<string, string>)).to.throw()
    })

    it('that changes a status is announced as event.status_changed with that change', async () => {
      const name = freshName()
      // One after the other: several at once may arrive in any order.
      await publish({ name, version: '1-0-0' })
      await heard(name, 1)
      await server.call('put', `/v1/events/shop/${name}/1-0-0/status`).send({ status: 'deprecated', reason: 'old' })
      await heard(name, 2)
      await publish({ name, version: '1-0-0', status: 'deleted' })
      const payloads = (await heard(name, 3)).map(({ body }) => JSON.parse(body) as Payload)
      expect(payloads.map(({ type, event, changes }) => [type, event['status'], changes.map(({ field }) => field)])).to.deep.equal([
        ['event.published', 'active', []],
        ['event.status_changed', 'deprecated', ['status']],
        ['event.status_changed', 'deleted', ['status']],
      ])
    })

    it('that is refused, tried with dry_run, or repeated announces nothing', async () => {
      const name = freshName()
      await publish({ name, version: '1-0-0' })
      await heard(name)
      const before = await deliveryCount()
      expect((await publish({ name, version: '1-0-0', description: 'Other.' })).status).to.equal(409)
      expect((await publish({ name, version: '0-1' })).status).to.equal(400)
      expect((await publish({ name, description: 'Other.' }, '?dry_run=true')).status).to.equal(200)
      expect((await publish({ name, version: '1-0-0' })).status).to.equal(201)
      expect((await server.call('put', `/v1/events/shop/${name}/1-0-0/status`).send({ status: 'draft' })).status).to.equal(409)
      expect(await deliveryCount()).to.equal(before)
    })

    it('of 50 at once whose bodies differ is announced once', async () => {
      const name = freshName()
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => publish({ name, version: '1-0-0', description: `Body ${index}.` })))
      const winner = answers.find(({ status }) => status === 201)
      await heard(name)
      await sleep(300)
      expect(about(name).map(({ body }) => (JSON.parse(body) as Payload).event['description'])).to.deep.equal([winner?.body.description])
    })

    it('is written together with its announcement: when either fails, neither is there', async () => {
      const db = openDatabase(server.home.target)
      const before = await deliveryCount()
      try {
        const refusals: [table: string, trigger: string][] = ['webhook_deliveries', 'audit_entries', 'event_specs'].map((table) => [
          table,
          engine === 'sqlite'
            ? `CREATE TRIGGER refuse BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'no'); END`
            : `CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'`,
        ])
        for (const [table, trigger] of refusals) {
          const name = freshName()
          await db.knex.raw(trigger)
          expect((await publish({ name })).status, table).to.equal(500)
          await db.knex.raw('DROP TRIGGER refuse')
          expect((await server.call('get', `/v1/events/shop/${name}`)).status, table).to.equal(404)
          expect(await deliveryCount(), table).to.equal(before)
        }
        const failing = publishSpec(
          {
            db,
            now: Date.now,
            versionPolicy: 'enforce', lintPolicy: 'warn',
            announce: async (tx, announcement) => {
              await announce(tx, { id: 'msg_rolled_back', ...announcement })
              throw new Error('after the announcement was written')
            },
          },
          { name: 'root' },
          { document: { namespace: 'shop', name: 'rolled_back' }, dryRun: false },
        )
        expect(await failing.catch((error: Error) => error.message)).to.equal('after the announcement was written')
        expect(await db.knex('webhook_deliveries').where('message_id', 'msg_rolled_back')).to.deep.equal([])
        expect((await server.call('get', '/v1/events/shop/rolled_back')).status).to.equal(404)
      } finally {
        await closeDatabase(db)
      }
    })

    it('tells webhooks registered after it nothing', async () => {
      const late = await startReceiver()
      try {
        const name = freshName()
        await publish({ name })
        await server.call('post', '/v1/webhooks').send({ url: late.url })
        await heard(name)
        const next = freshName()
        await publish({ name: next })
        await eventually('the late one hears of the next', () => late.requests.length > 0, SOON_MS)
        expect(late.requests.map(({ body }) => (JSON.parse(body) as Payload).event['name'])).to.deep.equal([next])
      } finally {
        await late.close()
      }
    })

    it('is not slowed down by a webhook that hangs', async () => {
      const hanging = await startReceiver(() => 'hang')
      const { body: webhook } = await server.call('post', '/v1/webhooks').send({ url: hanging.url })
      try {
        await publish({ name: freshName() })
        await eventually('it hangs', () => hanging.requests.length > 0, SOON_MS)
        const startedAt = performance.now()
        for (let count = 0; count < 10; count++) expect((await publish({ name: freshName() })).status).to.equal(201)
        expect(performance.now() - startedAt).to.be.lessThan(3000)
      } finally {
        await hanging.close()
        await server.call('delete', `/v1/webhooks/${webhook.id}`)
      }
    })

    it('reaches the webhooks also when it was taken by a process that delivers nothing, and that process is gone', async () => {
      const name = freshName()
      const api = await startOn({ ...server.home, remove: async () => {} }, { role: 'api' })
      await server.service.stop()
      try {
        const answer = await api.call('post', '/v1/events', server.adminKey).send({ namespace: 'shop', name })
        expect(answer.status).to.equal(201)
        await sleep(200)
        expect(about(name)).to.deep.equal([])
      } finally {
        await api.stop()
        await server.restart()
      }
      await heard(name)
      expect(about(name)).to.have.length(1)
    })
  })

  describe('webhooks that were registered while private networks were allowed', () => {
    it('are never sent to this machine once they are not, by address or by name', async () => {
      const server = await startTestServer(engine)
      const receiver = await startReceiver()
      try {
        const port = new URL(receiver.url).port
        const hosts = ['127.0.0.1', 'localhost', '[::1]', '0.0.0.0', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]']
        for (const host of hosts) expect((await server.call('post', '/v1/webhooks').send({ url: `http://${host}:${port}/` })).status, host).to.equal(201)
        await server.restart({ allowPrivateNetworks: false })
        await server.call('post', '/v1/events').send({ namespace: 'shop', name: 'paid' })
        const attempted = async () => ((await server.call('get', '/v1/webhooks')).body as { last_delivery: { status: number } | null }[]).map(({ last_delivery }) => last_delivery?.status)
        await eventually('each was tried', async () => (await attempted()).every((status) => status !== undefined), SOON_MS)
        expect(await attempted()).to.deep.equal(hosts.map(() => 0))
        expect(receiver.requests).to.deep.equal([])
      } finally {
        await server.stop()
        await receiver.close()
      }
    })
  })
})
