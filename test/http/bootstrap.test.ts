import { expect } from 'chai'
import supertest from 'supertest'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import { startOn } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

onEachEngine((engine) => {
  describe('the bootstrap', () => {
    let server: TestServer

    beforeEach(async () => {
      server = await startOn(await createTestDatabase(engine))
    })
    afterEach(() => server.stop())

    const bootstrap = (role = 'admin') => supertest(server.url).post('/v1/admin/keys').send({ role })

    it('lets exactly one of two simultaneous calls win', async () => {
      const statuses = (await Promise.all([bootstrap(), bootstrap()])).map(({ status }) => status)
      expect(statuses.sort()).to.deep.equal([201, 401])
    })

    it('lets exactly one of 100 simultaneous calls win', async () => {
      const statuses = (await Promise.all(Array.from({ length: 100 }, () => bootstrap()))).map(({ status }) => status)
      expect(statuses.filter((status) => status === 201)).to.have.length(1)
      expect(statuses.filter((status) => status === 401)).to.have.length(99)
    })

    it('refuses a first key that is no admin, and stays open', async () => {
      const refused = await bootstrap('viewer')
      expect(refused.status).to.equal(400)
      expect((refused.body as { error: string }).error).to.contain('"admin"')
      expect((await bootstrap()).status).to.equal(201)
    })

    it('stays closed after the only key was revoked', async () => {
      const { id, key } = (await bootstrap()).body as { id: number; key: string }
      expect((await server.call('delete', `/v1/admin/keys/${id}`, key)).status).to.equal(204)
      expect((await bootstrap()).status).to.equal(401)
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
