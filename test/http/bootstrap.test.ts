import { expect } from 'chai'
import supertest from 'supertest'
import { amount } from '../support/amount.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import { startOn } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const ROUNDS = amount('K4_BOOTSTRAPS', 3, 20)

onEachEngine((engine) => {
  describe('the bootstrap', () => {
    let server: TestServer

    beforeEach(async () => {
      server = await startOn(await createTestDatabase(engine))
    })
    afterEach(() => server.stop())

    const bootstrap = (role = 'admin') => supertest(server.url).post('/v1/admin/keys').send({ role })

    it(`lets exactly one of 100 simultaneous calls win, ${ROUNDS} of ${ROUNDS} times, and stays closed`, async function () {
      this.timeout(20_000 * ROUNDS)
      for (let round = 0; round < ROUNDS; round++) {
        const answers = await Promise.all(Array.from({ length: 100 }, () => bootstrap()))
        const won = answers.filter(({ status }) => status === 201)
        expect(won).to.have.length(1)
        expect(answers.filter(({ status }) => status === 401)).to.have.length(99)
        const { id, key } = won[0]?.body as { id: number; key: string }
        expect((await server.call('delete', `/v1/admin/keys/${id}`, key)).status).to.equal(204)
        expect((await bootstrap()).status).to.equal(401)
        await server.stop()
        server = await startOn(await createTestDatabase(engine))
      }
    })

    it('refuses a first key that is no admin, and stays open', async () => {
      const refused = await bootstrap('viewer')
      expect(refused.status).to.equal(400)
      expect((refused.body as { error: string }).error).to.contain('"admin"')
      expect((await bootstrap()).status).to.equal(201)
    })

    it('refuses the very next request of a revoked key', async () => {
      const { key } = (await bootstrap()).body as { key: string }
      for (let round = 0; round < 20; round++) {
        const other = (await server.call('post', '/v1/admin/keys', key).send({ role: 'viewer' })).body as { id: number; key: string }
        expect((await server.call('get', '/v1/events', other.key)).status).to.equal(200)
        expect((await server.call('delete', `/v1/admin/keys/${other.id}`, key)).status).to.equal(204)
        expect((await server.call('get', '/v1/events', other.key)).status).to.equal(401)
      }
    })
  })
})
