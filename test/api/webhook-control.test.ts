import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { Webhook as Verifier } from 'standardwebhooks'
import { eventually } from '../admin/support/eventually.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Answer, Received, Receiver } from '../relay/support/receiver.ts'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

interface Delivery {
  id: number
  message_id: string
  type: string
  event: string
  state: string
  next_attempt_at: string | null
  settled_at: string | null
  attempts: { at: string; status: number; duration_ms: number; error: string | null; answer: string }[]
}

const SOON_MS = 10_000

onEachEngine((engine) => {
  describe('a webhook', () => {
    let server: TestServer
    let receiver: Receiver
    let answer: Answer
    let id: number
    let secret: string
    let named = 0

    before(async () => {
      server = await startTestServer(engine)
    })
    after(() => server.stop())

    beforeEach(async () => {
      answer = 200
      receiver = await startReceiver(() => answer)
      ;({ id, secret } = (await server.call('post', '/v1/webhooks').send({ url: receiver.url })).body as { id: number; secret: string })
    })
    afterEach(async () => {
      await server.call('delete', `/v1/webhooks/${id}`)
      await receiver.close()
    })

    const post = async (path: string, body?: object, status = 200) => {
      const call = server.call('post', `/v1/webhooks/${id}${path}`)
      const response = await (body === undefined ? call : call.send(body))
      expect(response.status, response.text).to.equal(status)
      return response.body
    }
    const shown = async () => (await server.call('get', `/v1/webhooks/${id}`)).body as Record<string, unknown>
    const lastAudit = async () => ((await server.call('get', '/v1/audit?entity=webhook&limit=1')).body as Record<string, unknown>[])[0]
    const deliveries = async (query = '') => (await server.call('get', `/v1/webhooks/${id}/deliveries${query}`)).body as Delivery[]
    const publish = async (namespace = 'shop', name = `event_${++named}`) => {
      expect((await server.call('post', '/v1/events').send({ namespace, name, version: '1-0-0' })).status).to.equal(201)
      return `${namespace}/${name}@1-0-0`
    }
    const hears = (count: number) => eventually(`request ${count} arrives`, () => receiver.requests.length >= count, SOON_MS)
    const isSettled = (delivery: Delivery) => delivery.state !== 'pending'
    const verifies = (key: string, { body, headers }: Received) => {
      try {
        new Verifier(key).verify(body, headers as Record<string, string>)
        return true
      } catch {
        // What the library throws says only that it does not fit.
        return false
      }
    }
    const signatures = (request: Received) => (request.headers['webhook-signature'] as string).split(' ')

    describe('with a filter', () => {
      const filtered: [namespaces: string[], heard: string[]][] = [
        [['shop'], ['shop/paid', 'shop/refunded']],
        [['shop/pa*'], ['shop/paid']],
        [['shop.*/**'], ['shop.mobile/paid']],
        [['account', 'shop/refunded'], ['account/opened', 'shop/refunded']],
        [['**'], ['account/opened', 'shop/paid', 'shop/refunded', 'shop.mobile/paid']],
        [[], ['account/opened', 'shop/paid', 'shop/refunded', 'shop.mobile/paid']],
        [['elsewhere'], []],
      ]
      it('of namespaces and patterns hears of those alone, as decided when they are published', async () => {
        const created: number[] = []
        for (const [namespaces] of filtered) {
          const response = await server.call('post', '/v1/webhooks').send({ url: receiver.url, namespaces })
          expect(response.status, response.text).to.equal(201)
          expect(response.body).to.deep.include({ namespaces, types: [] })
          created.push(response.body.id as number)
        }
        for (const [namespace, name] of [['account', 'opened'], ['shop', 'paid'], ['shop', 'refunded'], ['shop.mobile', 'paid']] as const) await publish(namespace, name)
        for (const [index, [namespaces, heard]] of filtered.entries()) {
          const log = (await server.call('get', `/v1/webhooks/${created[index]}/deliveries`)).body as Delivery[]
          expect(log.map(({ event }) => event.replace('@1-0-0', '')).reverse(), namespaces.join()).to.deep.equal(heard)
          await server.call('delete', `/v1/webhooks/${created[index]}`)
        }
      })

      it('of types hears of those alone', async () => {
        await server.call('put', `/v1/webhooks/${id}`).send({ url: receiver.url, namespaces: [], types: ['event.status_changed'] })
        const event = await publish()
        await server.call('put', `/v1/events/${event.replace('@', '/')}/status`).send({ status: 'deprecated' })
        await hears(1)
        expect((await deliveries()).map(({ type }) => type)).to.deep.equal(['event.status_changed'])
      })

      for (const [namespaces, said] of [[['a/b/c'], 'namespaces[0]'], [['shop', 'a b'], 'namespaces[1]'], [['shop', '{a,b}/*'], 'namespaces[1]'], [[''], 'namespaces']] as const) {
        it(`of ${JSON.stringify(namespaces)} is refused`, async () => {
          const response = await server.call('post', '/v1/webhooks').send({ url: receiver.url, namespaces })
          expect(response.status).to.equal(400)
          expect(response.body.error).to.contain(said)
        })
      }
    })

    it('that is replaced sends what waits to its new address, and audits both', async () => {
      answer = 503
      const elsewhere = await startReceiver()
      try {
        await publish()
        await hears(1)
        const changed = await server.call('put', `/v1/webhooks/${id}`).send({ url: elsewhere.url, namespaces: ['shop'], types: ['event.published'] })
        expect(changed.status).to.equal(200)
        expect(changed.body).to.deep.include({ id, url: elsewhere.url, namespaces: ['shop'], types: ['event.published'], failing_since: null })
        expect(await lastAudit()).to.deep.include({
          action: 'updated', entity_id: String(id),
          before: { id, url: receiver.url, namespaces: [], types: [] }, after: { id, url: elsewhere.url, namespaces: ['shop'], types: ['event.published'] },
        })
        await eventually('the next attempt goes there', () => elsewhere.requests.length > 0, SOON_MS)
        expect(elsewhere.requests[0]?.headers['webhook-id']).to.equal(receiver.requests[0]?.headers['webhook-id'])
        expect(verifies(secret, elsewhere.requests[0] as Received)).to.equal(true)
      } finally {
        await elsewhere.close()
      }
    })

    describe('that gets a new secret', () => {
      it('signs by both during the overlap, a day unless told otherwise', async () => {
        const startedAt = Date.now()
        const rotated = (await post('/rotate')) as { id: number; secret: string; previous_secret_until: string }
        expect(rotated).to.have.all.keys('id', 'secret', 'previous_secret_until')
        expect(rotated.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/).and.not.to.equal(secret)
        expect(Date.parse(rotated.previous_secret_until) - startedAt).to.be.within(86_400_000, 86_400_000 + SOON_MS)
        expect((await shown())['previous_secret_until']).to.equal(rotated.previous_secret_until)
        await publish()
        await hears(1)
        const [request] = receiver.requests as [Received]
        expect(signatures(request)).to.have.length(2)
        expect([verifies(secret, request), verifies(rotated.secret, request)]).to.deep.equal([true, true])
      })

      it('signs by the new one alone with an overlap of 0s, and after an overlap that ended', async () => {
        const first = (await post('/rotate', { overlap: '0s' })) as { secret: string; previous_secret_until: null }
        expect(first.previous_secret_until).to.equal(null)
        await publish()
        await hears(1)
        const second = (await post('/rotate', { overlap: '1s' })) as { secret: string }
        await sleep(1100)
        expect((await shown())['previous_secret_until']).to.equal(null)
        await publish()
        await hears(2)
        const [, later] = receiver.requests as [Received, Received]
        expect(receiver.requests.map((request) => signatures(request).length)).to.deep.equal([1, 1])
        expect(receiver.requests.map((request) => verifies(first.secret, request))).to.deep.equal([true, false])
        expect([verifies(secret, later), verifies(second.secret, later)]).to.deep.equal([false, true])
      })

      it('twice during one overlap forgets the oldest', async () => {
        const first = (await post('/rotate')) as { secret: string }
        const second = (await post('/rotate')) as { secret: string }
        await publish()
        await hears(1)
        const [request] = receiver.requests as [Received]
        expect([secret, first.secret, second.secret].map((key) => verifies(key, request))).to.deep.equal([false, true, true])
      })

      it('is audited without either secret', async () => {
        await post('/rotate', { overlap: '2h' })
        expect(await lastAudit()).to.deep.include({ action: 'secret_rotated', entity_id: String(id), before: { id, secret: '********' }, after: { id, secret: '********', overlap: '2h' } })
        for (const path of ['/v1/audit?limit=1000', '/v1/webhooks', `/v1/webhooks/${id}`]) expect((await server.call('get', path)).text).not.to.contain('whsec_')
      })

      for (const overlap of ['0', '0h', '-1h', '1.5h', '31d', '1y', '']) {
        it(`is refused with the overlap ${JSON.stringify(overlap)}, and keeps the old one`, async () => {
          expect(((await post('/rotate', { overlap }, 400)) as { error: string }).error).to.contain('overlap')
          await publish()
          await hears(1)
          expect(verifies(secret, receiver.requests[0] as Received)).to.equal(true)
        })
      }
    })

    describe('that is disabled', () => {
      it('by hand drops what waits, hears of nothing, and is shown and audited with the reason', async () => {
        answer = 503
        await publish()
        await hears(1)
        const disabled = (await post('/disable', { reason: 'moving' })) as Record<string, unknown>
        expect(disabled).to.include({ state: 'disabled', disabled_reason: 'moving' })
        expect(disabled['disabled_at']).to.be.a('string')
        expect(await lastAudit()).to.deep.include({ action: 'disabled', before: { state: 'active' }, after: { state: 'disabled' }, reason: 'moving', user: { id: 1, name: 'root', role: 'admin' } })
        await publish()
        expect((await deliveries()).map(({ state }) => state)).to.deep.equal(['dropped'])
        const audited = await lastAudit()
        expect(await post('/disable', { reason: 'again' })).to.deep.equal(disabled)
        expect(await lastAudit()).to.deep.equal(audited)
      })

      it('by a 410 hears again once it is enabled, of what is published from then on', async () => {
        answer = 410
        await publish()
        await eventually('it is disabled', async () => (await shown())['state'] === 'disabled', SOON_MS)
        expect((await shown())['disabled_reason']).to.equal('the receiver answered 410 Gone')
        await publish()
        answer = 200
        const enabled = (await post('/enable')) as Record<string, unknown>
        expect(enabled).to.include({ state: 'active', disabled_at: null, disabled_reason: null, failing_since: null })
        expect(await lastAudit()).to.deep.include({ action: 'enabled', entity_id: String(id), before: { state: 'disabled' }, after: { state: 'active' } })
        const event = await publish()
        await eventually('the new one is delivered', async () => (await deliveries('?state=delivered')).length === 1, SOON_MS)
        expect((await deliveries()).map((delivery) => [delivery.event === event, delivery.state])).to.deep.equal([[true, 'delivered'], [false, 'failed']])
        const audited = await lastAudit()
        await post('/enable')
        expect(await lastAudit()).to.deep.equal(audited)
      })
    })

    describe('has a log of deliveries', () => {
      it('that tells each attempt with status, duration, error and the first 4 KB of the answer', async () => {
        answer = { status: 503, body: `${'ä'.repeat(2047)}xäöü` }
        const startedAt = Date.now()
        const event = await publish()
        await eventually('it was attempted', async () => (await deliveries())[0]?.attempts.length === 1, SOON_MS)
        const [delivery] = (await deliveries()) as [Delivery]
        expect(delivery).to.deep.include({ type: 'event.published', event, state: 'pending', settled_at: null, message_id: receiver.requests[0]?.headers['webhook-id'] })
        expect(Date.parse(delivery.next_attempt_at as string) - startedAt).to.be.within(5000, 5000 + SOON_MS)
        const [first] = delivery.attempts as [Delivery['attempts'][0]]
        // The character that the limit would split is left out.
        expect(first).to.include({ status: 503, error: 'HTTP 503', answer: `${'ä'.repeat(2047)}x` })
        expect(Date.parse(first.at)).to.be.within(startedAt, Date.now())
        expect(first.duration_ms).to.be.within(0, SOON_MS)
        answer = { status: 200, body: 'thanks' }
        await eventually('the second attempt succeeds', async () => ((await deliveries()) as [Delivery])[0].state === 'delivered', SOON_MS)
        const [delivered] = (await deliveries()) as [Delivery]
        expect(delivered.attempts[0]).to.deep.equal(first)
        expect(delivered.attempts[1]).to.deep.include({ status: 200, error: null, answer: 'thanks' })
        expect(delivered).to.include({ next_attempt_at: null }).and.to.have.property('settled_at').that.is.a('string')
      })

      it('newest first, page by page, by state, and of this webhook alone', async () => {
        const other = (await server.call('post', '/v1/webhooks').send({ url: receiver.url })).body as { id: number }
        const events: string[] = []
        for (let count = 0; count < 5; count++) events.unshift(await publish())
        await eventually('all are delivered', async () => (await deliveries()).every(isSettled), SOON_MS)
        const seen: string[] = []
        for (let path: string | undefined = `/v1/webhooks/${id}/deliveries?limit=2&state=delivered`; path !== undefined; ) {
          const page = await server.call('get', path)
          expect((page.body as Delivery[]).length).to.be.within(1, 2)
          seen.push(...(page.body as Delivery[]).map(({ event }) => event))
          path = /^<(.+)>; rel="next"$/.exec(page.headers['link'] ?? '')?.[1]
        }
        expect(seen).to.deep.equal(events)
        expect(await deliveries('?state=failed')).to.deep.equal([])
        await server.call('delete', `/v1/webhooks/${other.id}`)
      })
    })

    describe('is sent a delivery again', () => {
      it('under the same id and with the same body, signed anew, and by the schedule from its start', async () => {
        await publish()
        await eventually('it is delivered', async () => (await deliveries('?state=delivered')).length === 1, SOON_MS)
        const [delivery] = (await deliveries()) as [Delivery]
        answer = 500
        expect(await post(`/deliveries/${delivery.id}/redeliver`, undefined, 202)).to.deep.equal({ status: 'accepted', message_id: delivery.message_id })
        expect(await lastAudit()).to.deep.include({ action: 'redelivered', entity_id: String(id), after: { delivery_id: delivery.id, message_id: delivery.message_id } })
        await hears(2)
        const [first, second] = receiver.requests as [Received, Received]
        expect([second.body, second.headers['webhook-id']]).to.deep.equal([first.body, first.headers['webhook-id']])
        expect(verifies(secret, second)).to.equal(true)
        await eventually('the failure is stored', async () => ((await deliveries()) as [Delivery])[0].attempts.length === 2, SOON_MS)
        const [again] = (await deliveries()) as [Delivery]
        expect(again.state).to.equal('pending')
        expect(Date.parse(again.next_attempt_at as string) - second.at).to.be.within(4900, 7000)
      })

      it('as often as is asked, while the log keeps eight attempts of those before', async function () {
        this.timeout(60_000)
        await publish()
        await eventually('it is delivered', async () => (await deliveries('?state=delivered')).length === 1, SOON_MS)
        const [{ id: deliveryId }] = (await deliveries()) as [Delivery]
        for (let count = 2; count <= 12; count++) {
          await post(`/deliveries/${deliveryId}/redeliver`, undefined, 202)
          await hears(count)
          await eventually('it is settled', async () => (await deliveries()).every(isSettled), SOON_MS)
        }
        expect(((await deliveries()) as [Delivery])[0].attempts).to.have.length(9)
      })

      it('not while it is disabled, nor one of another webhook', async () => {
        await publish()
        await eventually('it is delivered', async () => (await deliveries('?state=delivered')).length === 1, SOON_MS)
        const [delivery] = (await deliveries()) as [Delivery]
        const other = (await server.call('post', '/v1/webhooks').send({ url: receiver.url })).body as { id: number }
        const foreign = await server.call('post', `/v1/webhooks/${other.id}/deliveries/${delivery.id}/redeliver`)
        expect([foreign.status, foreign.body.error]).to.deep.equal([404, `webhook ${other.id} has no delivery with the id ${delivery.id}; GET /v1/webhooks/${other.id}/deliveries lists them`])
        await server.call('delete', `/v1/webhooks/${other.id}`)
        await post('/disable')
        expect(((await post(`/deliveries/${delivery.id}/redeliver`, undefined, 409)) as { error: string }).error).to.contain(`POST /v1/webhooks/${id}/enable`)
        await sleep(200)
        expect(receiver.requests).to.have.length(1)
      })
    })
  })
})
