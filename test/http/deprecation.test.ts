import { expect } from 'chai'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const SPEC = { namespace: 'shop', name: 'paid', version: '1-0-0', properties: { total: { type: 'number' } } }
const PATH = '/v1/events/shop/paid/1-0-0'

onEachEngine((engine) => {
  describe('a deprecation', () => {
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine)
      await server.call('post', '/v1/events').send(SPEC)
      await server.call('post', '/v1/admin/sources').send({ name: 'web' })
    })
    after(() => server.stop())

    it('carries the day it ends and what replaces it, to those who read and pull', async () => {
      const answer = await server.call('put', `${PATH}/status`).send({ status: 'deprecated', sunset: '2027-03-31', replaced_by: 'shop/paid@2-0-0' })
      expect(answer.status, answer.text).to.equal(200)
      const facts = { status: 'deprecated', sunset: '2027-03-31', replaced_by: 'shop/paid@2-0-0' }
      expect((await server.call('get', PATH)).body).to.include(facts)
      expect(((await server.call('get', '/v1/sources/web/pull')).body as { events: object[] }).events[0]).to.include(facts)
    })

    it('keeps its facts when the very same document is published again', async () => {
      const { body } = await server.call('get', PATH)
      expect((await server.call('post', '/v1/events').send(body as object)).status).to.equal(201)
      expect((await server.call('get', PATH)).body).to.include({ sunset: '2027-03-31' })
    })

    for (const [what, body] of [
      ['a day that is none', { status: 'deprecated', sunset: '2027-02-30' }],
      ['a reference that names no event', { status: 'deprecated', replaced_by: 'paid' }],
      ['an end without deprecation', { status: 'active', sunset: '2027-03-31' }],
    ] as const) {
      it(`is refused with ${what}`, async () => {
        expect((await server.call('put', `${PATH}/status`).send(body)).status).to.equal(400)
      })
    }

    it('leaves its facts behind when the version is active again', async () => {
      expect((await server.call('put', `${PATH}/status`).send({ status: 'active' })).body).not.to.have.any.keys('sunset', 'replaced_by')
    })
  })
})
