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

    describe('as told to those who send', () => {
      const send = (event_name: string) => server.call('post', '/v1/track').send({ source: 'web', event_name })
      const batch = (...names: string[]) => server.call('post', '/v1/batch').send({ source: 'web', events: names.map((event_name) => ({ type: 'track', event_name })) })
      const deprecate = (name: string, facts: object = {}) => server.call('put', `/v1/events/shop/${name}/1-0-0/status`).send({ status: 'deprecated', ...facts })
      const toldBy = ({ headers }: { headers: Record<string, string> }) => [headers['deprecation'] !== undefined, headers['sunset'], headers['link']]
      const PAID = [true, 'Wed, 31 Mar 2027 23:59:59 GMT', '</v1/events/shop/paid/2-0-0>; rel="successor-version"']

      before(async () => {
        for (const name of ['old', 'fresh']) await server.call('post', '/v1/events').send({ ...SPEC, name })
        await deprecate('paid', { sunset: '2027-03-31', replaced_by: 'shop/paid@2-0-0' })
        await deprecate('old', { replaced_by: 'shop/fresh' })
      })

      it('names the time of the deprecation, the end, and the successor', async () => {
        const answer = await send('paid')
        expect(toldBy(answer)).to.deep.equal(PAID)
        const { updated_at } = (await server.call('get', PATH)).body as { updated_at: string }
        expect(answer.headers['deprecation']).to.equal(`@${Math.floor(Date.parse(updated_at) / 1000)}`)
      })

      it('leaves out what the deprecation does not say, and says nothing of a spec in force', async () => {
        expect(toldBy(await send('old'))).to.deep.equal([true, undefined, '</v1/events/shop/fresh>; rel="successor-version"'])
        expect(toldBy(await send('fresh'))).to.deep.equal([false, undefined, undefined])
      })

      it('names them for a batch that meets one deprecated spec, and only the deprecation for one that meets several', async () => {
        expect(toldBy(await batch('paid', 'fresh', 'paid'))).to.deep.equal(PAID)
        expect(toldBy(await batch('paid', 'old'))).to.deep.equal([true, undefined, undefined])
      })

      it('tells the very next sender what a later word on the same deprecation says', async () => {
        await deprecate('old', { sunset: '2028-02-29' })
        expect(toldBy(await send('old'))).to.deep.equal([true, 'Tue, 29 Feb 2028 23:59:59 GMT', undefined])
      })
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

    for (const [what, spec] of [['a published version', SPEC], ['a new one', { ...SPEC, name: 'unborn' }]] as const) {
      it(`is refused in the document of ${what} that says nothing of a deprecation`, async () => {
        const answer = await server.call('post', '/v1/events').send({ ...spec, sunset: '2027-03-31' })
        expect(answer.status, answer.text).to.equal(400)
        expect((answer.body as { error: string }).error).to.contain('sunset').and.contain('"deprecated"')
      })
    }

    it('leaves its facts behind when the version is active again', async () => {
      expect((await server.call('put', `${PATH}/status`).send({ status: 'active' })).body).not.to.have.any.keys('sunset', 'replaced_by')
    })
  })
})
