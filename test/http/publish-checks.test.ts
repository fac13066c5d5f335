import { expect } from 'chai'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const price = (extra: object = {}) => ({ namespace: 'shop', name: 'paid', description: 'Somebody paid.', properties: { total: { type: 'number', required: true, ...extra } } })

interface ImpactAnswer {
  impact: { scanned: number; checked: number; refused: number; limited_by: string | null; sources: { source: string; checked: number; refused: number; samples: { message_id: string; violations: { path: string }[] }[] }[] }
}

onEachEngine((engine) => {
  describe('what a publication is held against', () => {
    let server: TestServer

    beforeEach(async () => {
      server = await startTestServer(engine)
    })
    afterEach(() => server.stop())

    const publish = (body: object, query = '') => server.call('post', `/v1/events${query}`).send(body)
    const error = (answer: { body: unknown }) => (answer.body as { error: string }).error

    it('refuses a MINOR that breaks a valid example of an earlier version, naming both', async () => {
      expect((await publish({ ...price(), version: '1-0-0', examples: { valid: [{ total: 0 }] } })).status).to.equal(201)
      await server.call('put', '/v1/admin/config/version_policy').send({ value: 'off' })
      const refused = await publish({ ...price({ minimum: 1 }), version: '1-1-0' })
      expect(refused.status).to.equal(400)
      expect(error(refused)).to.contain('{"total":0}').and.contain('1-0-0')
      expect((await publish({ ...price({ minimum: 1 }), version: '2-0-0' })).status).to.equal(201)
    })

    it('refuses a MINOR that accepts an example which an earlier version called invalid', async () => {
      await publish({ ...price({ minimum: 0 }), version: '1-0-0', examples: { invalid: [{ total: -1 }] } })
      const refused = await publish({ ...price(), version: '1-1-0' })
      expect(refused.status).to.equal(400)
      expect(error(refused)).to.contain('{"total":-1}')
    })

    it('turns warnings into refusals when lint_policy says so, on the next request', async () => {
      const { description: _none, ...undescribed } = price()
      expect((await publish({ ...undescribed, version: '1-0-0' })).body).to.have.property('warnings').that.has.length.greaterThan(0)
      await server.call('put', '/v1/admin/config/lint_policy').send({ value: 'error' })
      const refused = await publish({ ...undescribed, version: '1-0-1' })
      expect(refused.status).to.equal(400)
      expect(error(refused)).to.contain('description.missing')
    })

    it('answers a dry run with the recently relayed events that it would refuse, by source', async () => {
      await publish({ ...price(), version: '1-0-0' })
      for (const name of ['web', 'app', 'other']) await server.call('post', '/v1/admin/sources').send({ name, events: name === 'other' ? ['elsewhere/**'] : ['shop/**'] })
      const send = (source: string, total: number, id: string) => server.call('post', '/v1/track').send({ source, event_name: 'paid', properties: { total }, message_id: id })
      for (let n = 0; n < 8; n++) await send('web', n, `web-${n}`)
      await send('app', 100, 'app-0')
      await send('other', 0, 'other-0')
      const { impact } = (await publish({ ...price({ minimum: 7 }) }, '?dry_run=true')).body as ImpactAnswer
      expect(impact).to.include({ scanned: 10, checked: 9, refused: 7, limited_by: null })
      expect(impact.sources.map(({ source, checked, refused }) => [source, checked, refused])).to.deep.equal([['web', 8, 7], ['app', 1, 0]])
      const samples = impact.sources[0]?.samples ?? []
      expect(samples.map((sample) => sample.message_id)).to.deep.equal(['web-6', 'web-5', 'web-4', 'web-3', 'web-2'])
      expect(samples[0]?.violations[0]?.path).to.equal('/properties/total')
      expect((await server.call('get', '/v1/events')).body).to.have.length(1)
    })
  })
})
