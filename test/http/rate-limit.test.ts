import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { generateKey } from '../../src/admin/key-format.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { onEachEngine } from '../support/database.ts'
import { sampleRequest } from '../support/sample-requests.ts'
import { startTestServer } from '../support/server.ts'
import type { Method, TestServer } from '../support/server.ts'

onEachEngine((engine) => {
  describe('the rate limit of a key', () => {
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine)
    })
    after(() => server.stop())

    // The admin's own requests count as well: it waits until it may set the limit.
    const limit = async (perSecond: number) => {
      for (;;) {
        const { status } = await server.call('put', '/v1/admin/config/rate_limit_per_key').send({ value: String(perSecond) })
        if (status === 200) return
        expect(status).to.equal(429)
        await sleep(100)
      }
    }
    afterEach(() => limit(0))

    /** Calls as fast as it goes. @returns how often each status came, and the last answer */
    const burst = async (count: number, key: string) => {
      const answers = await Promise.all(Array.from({ length: count }, () => server.call('get', '/v1/events', key)))
      const refused = answers.filter(({ status }) => status === 429)
      return { allowed: answers.filter(({ status }) => status === 200), refused }
    }

    it('is off by default, and then leaves no header', async () => {
      const { allowed } = await burst(50, server.adminKey)
      expect(allowed).to.have.length(50)
      expect(Object.keys(allowed[0]?.headers as object).filter((name) => name.startsWith('ratelimit'))).to.deep.equal([])
    })

    it('acts on the very next request: 429 with Retry-After and the RateLimit headers, and once that has passed all is well', async () => {
      const { key } = await server.keyFor('viewer')
      await limit(5)
      const { allowed, refused } = await burst(12, key)
      // A slow machine may take more than one second for twelve requests.
      expect(allowed.length).to.be.within(5, 10)
      expect(refused.length).to.equal(12 - allowed.length)
      const [first] = refused
      expect(first?.body).to.include({ code: 'rate_limited' })
      expect((first?.body as { error: string }).error).to.contain('5 requests per second').and.contain('rate_limit_per_key')
      expect(first?.headers).to.include({ 'ratelimit-limit': '5', 'ratelimit-remaining': '0', 'ratelimit-reset': '1', 'retry-after': '1' })
      expect(allowed.map(({ headers }) => Number(headers['ratelimit-remaining'])).sort()).to.include.members([0, 1, 2, 3, 4])
      await sleep(1000 * Number(first?.headers['retry-after']))
      expect((await server.call('get', '/v1/events', key)).status).to.equal(200)
    })

    it('counts for every key apart', async () => {
      const { key: busy } = await server.keyFor('viewer')
      const { key: quiet } = await server.keyFor('viewer')
      await limit(3)
      const [{ refused }, calm] = await Promise.all([burst(20, busy), server.call('get', '/v1/events', quiet)])
      expect(refused).not.to.have.length(0)
      expect(calm.status).to.equal(200)
    })

    it('counts requests that a role forbids', async () => {
      const { key } = await server.keyFor('viewer')
      await limit(2)
      const statuses = (await Promise.all(Array.from({ length: 10 }, () => server.call('get', '/v1/admin/keys', key)))).map(({ status }) => status)
      expect(statuses).to.include(403).and.to.include(429)
    })

    it('is answered by every operation that needs a key, as the contract says', async () => {
      await limit(1)
      const answered: string[] = []
      for (const operation of OPERATIONS.filter(({ role }) => role !== 'none')) {
        const { path, body } = sampleRequest(operation)
        // Two at once: not both can be the first of their second.
        for (let tries = 0; tries < 20 && answered.at(-1) !== operation.id; tries++) {
          const pair = [server.call(operation.method as Method, path), server.call('get', '/v1/events')] as const
          const [answer] = await Promise.all([body === undefined ? pair[0] : pair[0].send(body), pair[1]])
          if (answer.status === 429) answered.push(operation.id)
        }
      }
      expect(answered).to.deep.equal(OPERATIONS.filter(({ role }) => role !== 'none').map(({ id }) => id))
    })

    it('leaves health, readiness and the contract alone', async () => {
      await limit(1)
      for (const path of ['/v1/health', '/v1/ready', '/v1/openapi.json']) {
        for (let count = 0; count < 3; count++) expect((await server.call('get', path)).status, path).to.equal(200)
      }
    })
  })

  describe('wrong keys from one address', () => {
    const PER_MINUTE = 20
    const unauthorized = Array<number>(PER_MINUTE).fill(401)
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine, { authFailuresPerMinute: PER_MINUTE, trustProxy: 1 })
    })
    after(() => server.stop())

    const callFrom = (address: string, key: string) => server.call('get', '/v1/events', key).set('X-Forwarded-For', address)
    const statusesOf = async (count: number, address: string, key: () => string = generateKey) => {
      const statuses: number[] = []
      for (let sent = 0; sent < count; sent++) statuses.push((await callFrom(address, key())).status)
      return statuses
    }

    it(`are answered with 401 ${PER_MINUTE} times and then with 429 and Retry-After, of whatever kind they are`, async () => {
      const { id, key } = await server.keyFor('viewer')
      await server.call('delete', `/v1/admin/keys/${id}`)
      const kinds = [() => 'garbage', generateKey, () => key]
      let sent = 0
      expect(await statusesOf(PER_MINUTE + 3, '192.0.2.1', () => (kinds[sent++ % 3] as () => string)())).to.deep.equal([...unauthorized, 429, 429, 429])
      const answer = await callFrom('192.0.2.1', 'garbage')
      expect(answer.body).to.include({ code: 'rate_limited' })
      expect((answer.body as { error: string }).error).to.contain(`more than ${PER_MINUTE}`)
      expect(Number(answer.headers['retry-after'])).to.be.within(1, 60)
      expect(answer.headers).not.to.have.property('www-authenticate')
    })

    it('never keep out a right key from the same address, nor a call without a key', async () => {
      expect((await statusesOf(PER_MINUTE + 5, '192.0.2.2')).at(-1)).to.equal(429)
      expect((await callFrom('192.0.2.2', server.adminKey)).status).to.equal(200)
      expect((await callFrom('192.0.2.2', '')).status).to.equal(401)
    })

    it('count for every address apart, and for an IPv6 network as one', async () => {
      expect(await statusesOf(PER_MINUTE + 1, '192.0.2.3')).to.deep.equal([...unauthorized, 429])
      expect(await statusesOf(1, '192.0.2.4')).to.deep.equal([401])
      for (let host = 1; host <= PER_MINUTE; host++) expect(await statusesOf(1, `2001:db8:1:2::${host.toString(16)}`)).to.deep.equal([401])
      expect(await statusesOf(1, '2001:db8:1:2:ffff::1')).to.deep.equal([429])
      expect(await statusesOf(1, '2001:db8:1:3::1')).to.deep.equal([401])
    })

    it('may be any number when the limit is 0', async () => {
      await server.restart({ authFailuresPerMinute: 0 })
      expect(new Set(await statusesOf(3 * PER_MINUTE, '192.0.2.5'))).to.deep.equal(new Set([401]))
    })
  })
})
