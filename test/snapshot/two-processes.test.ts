import { expect } from 'chai'
import { amount } from '../support/amount.ts'
import { onEachEngine } from '../support/database.ts'
import type { Callable, Method } from '../support/server.ts'
import { startTwoProcesses } from '../support/two-processes.ts'
import type { TwoProcesses } from '../support/two-processes.ts'

const REVOCATIONS = amount('K3_REVOCATIONS', 3, 20)
const SENDERS = 200

onEachEngine((engine) => {
  describe('a change made on one of two processes', function () {
    this.timeout(120_000)
    // The suite counts in full where two processes are the rule, and only looks whether it works where they are the exception.
    const rounds = amount('C1_ROUNDS', engine === 'mariadb' ? 100 : 20, 100)
    const fewer = Math.ceil(rounds / 5)
    let processes: TwoProcesses
    let one: Callable
    let other: Callable

    before(async () => {
      processes = await startTwoProcesses(engine)
      ;({ one, other } = processes)
      await change('put', '/v1/admin/config/version_policy', { value: 'off' })
    })
    after(() => processes.stop())

    /** A change on the first instance that must succeed. */
    const change = async (method: Method, path: string, body: object = {}) => {
      const answer = await one.call(method, path).send(body)
      expect(answer.status, `${method} ${path} ${answer.text}`).to.be.within(200, 204)
      return answer.body as Record<string, unknown>
    }
    const track = (fields: object) => other.call('post', '/v1/track').send({ source: 'web', ...fields })

    it(`revokes a key for the very next request on the other, ${rounds} of ${rounds} times`, async () => {
      const seen: [before: number, after: number][] = []
      for (let round = 0; round < rounds; round++) {
        const { id, key } = await one.keyFor('viewer')
        const before = await other.call('get', '/v1/events', key)
        await change('delete', `/v1/admin/keys/${id}`)
        seen.push([before.status, (await other.call('get', '/v1/events', key)).status])
      }
      expect(seen).to.deep.equal(Array.from({ length: rounds }, () => [200, 401]))
    })

    it(`revokes ${REVOCATIONS} keys under ${SENDERS}-way load on both: no request sent after the 204 succeeds`, async () => {
      for (let round = 0; round < REVOCATIONS; round++) {
        const { id, key } = await one.keyFor('viewer')
        let isRevoked = false
        let isOver = false
        const late: number[] = []
        let served = 0
        const senders = Array.from({ length: SENDERS }, async (_, index) => {
          while (!isOver) {
            const isLate = isRevoked
            const { status } = await (index % 2 === 0 ? one : other).call('get', '/v1/events?limit=1', key)
            if (status === 200) served += 1
            if (isLate) late.push(status)
          }
        })
        await new Promise((resolve) => setTimeout(resolve, 150))
        await change('delete', `/v1/admin/keys/${id}`)
        isRevoked = true
        await new Promise((resolve) => setTimeout(resolve, 150))
        isOver = true
        await Promise.all(senders)
        expect(served, 'the load before').to.be.greaterThan(0)
        expect(late.length, 'the load after').to.be.greaterThan(0)
        expect(late.filter((status) => status !== 401)).to.deep.equal([])
      }
    })

    it(`makes a new key work in the very next request on the other, ${fewer} of ${fewer} times`, async () => {
      const seen: number[] = []
      for (let round = 0; round < fewer; round++) seen.push((await other.call('get', '/v1/events', (await one.keyFor('viewer')).key)).status)
      expect(seen).to.deep.equal(Array.from({ length: fewer }, () => 200))
    })

    it(`puts a setting in force for the very next request on the other, ${rounds} of ${rounds} times`, async () => {
      await change('post', '/v1/admin/sources', { name: 'web' })
      const seen: string[] = []
      for (let round = 0; round < rounds; round++) {
        await change('put', '/v1/admin/config/relay_unplanned', { value: round % 2 === 0 ? 'quarantine' : 'allow' })
        seen.push((await track({ event_name: 'unheard-of' })).body.status as string)
      }
      expect(seen).to.deep.equal(Array.from({ length: rounds }, (_, index) => (index % 2 === 0 ? 'quarantined' : 'accepted')))
    })

    it(`edits a source for the very next request on the other, ${rounds} of ${rounds} times`, async () => {
      await change('put', '/v1/admin/config/relay_unplanned', { value: 'quarantine' })
      await change('post', '/v1/events', { namespace: 'edited', name: 'seen' })
      await change('post', '/v1/admin/sources', { name: 'edited' })
      const seen: string[] = []
      for (let round = 0; round < rounds; round++) {
        const events = [round % 2 === 0 ? 'edited/**' : 'elsewhere/**']
        await change('put', '/v1/admin/sources/edited', { name: 'edited', platform: '', language: '', events, destinations: [] })
        seen.push((await track({ source: 'edited', event_name: 'seen' })).body.status as string)
      }
      await change('put', '/v1/admin/config/relay_unplanned', { value: 'allow' })
      expect(seen).to.deep.equal(Array.from({ length: rounds }, (_, index) => (index % 2 === 0 ? 'accepted' : 'quarantined')))
    })

    it(`registers and removes a source for the very next request on the other, ${fewer} of ${fewer} times`, async () => {
      const seen: number[] = []
      for (let round = 0; round < fewer; round++) {
        await change('post', '/v1/admin/sources', { name: 'come-and-go' })
        seen.push((await track({ source: 'come-and-go', event_name: 'x' })).status)
        await change('delete', '/v1/admin/sources/come-and-go')
        seen.push((await track({ source: 'come-and-go', event_name: 'x' })).status)
      }
      expect(seen).to.deep.equal(Array.from({ length: fewer }, () => [202, 400]).flat())
    })

    it(`publishes a spec that judges the very next event on the other, ${rounds} of ${rounds} times`, async () => {
      const seen: string[] = []
      for (let round = 1; round <= rounds; round++) {
        const isStrict = round % 2 === 0
        await change('post', '/v1/events', { namespace: 'shop', name: 'paid', version: `${round}-0-0`, properties: { total: { type: 'number', required: isStrict } } })
        seen.push((await track({ event_name: 'paid' })).body.status as string)
      }
      expect(seen).to.deep.equal(Array.from({ length: rounds }, (_, index) => (index % 2 === 1 ? 'quarantined' : 'accepted')))
    })

    it(`deprecates a spec for the very next event on the other, ${fewer} of ${fewer} times`, async () => {
      await change('post', '/v1/events', { namespace: 'shop', name: 'old', version: '1-0-0' })
      const seen: (string | undefined)[] = []
      for (let round = 0; round < fewer; round++) {
        await change('put', '/v1/events/shop/old/1-0-0/status', { status: 'deprecated' })
        seen.push((await track({ event_name: 'old' })).headers['deprecation'])
        await change('put', '/v1/events/shop/old/1-0-0/status', { status: 'active' })
        seen.push((await track({ event_name: 'old' })).headers['deprecation'])
      }
      expect(seen.map((header) => header !== undefined)).to.deep.equal(Array.from({ length: fewer }, () => [true, false]).flat())
    })

    it('is read by the very next read on the other, of every kind', async () => {
      await change('post', '/v1/admin/destinations', { name: 'drain', provider: 'noop', config: {} })
      expect((await other.call('get', '/v1/admin/destinations/drain')).status).to.equal(200)
      await change('post', '/v1/admin/destinations/drain/pause', { reason: 'moving' })
      expect((await other.call('get', '/v1/admin/deliveries')).body[0]).to.include({ destination: 'drain', state: 'paused' })
      const { id } = await change('post', '/v1/webhooks', { url: 'http://127.0.0.1:9/' })
      expect(((await other.call('get', '/v1/webhooks')).body as { id: number }[]).map((webhook) => webhook.id)).to.deep.equal([id])
      const pulled = (await other.call('get', '/v1/sources/web/pull')).body as { etag: string }
      await change('post', '/v1/events', { namespace: 'shop', name: 'brand_new' })
      expect((await other.call('get', '/v1/sources/web/pull')).body.etag).not.to.equal(pulled.etag)
    })
  })
})
