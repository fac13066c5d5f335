import { expect } from 'chai'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

interface AuditEntry {
  action: string
  entity_id: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

onEachEngine((engine) => {
  describe('sources', () => {
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine)
      expect((await server.call('post', '/v1/admin/destinations').send({ name: 'drain', provider: 'noop', config: {} })).status).to.equal(201)
    })
    after(() => server.stop())

    const create = (body: object) => server.call('post', '/v1/admin/sources').send(body)
    const replace = (name: string, body: object) => server.call('put', `/v1/admin/sources/${name}`).send(body)
    const get = (name: string) => server.call('get', `/v1/admin/sources/${name}`)
    const auditOf = async (name: string) => ((await server.call('get', '/v1/audit?entity=source&limit=1000')).body as AuditEntry[]).filter((entry) => entry.entity_id === name)

    it('need nothing but a name; the rest is empty', async () => {
      const answer = await create({ name: 'bare' })
      expect(answer.status).to.equal(201)
      expect(answer.headers['location']).to.equal('/v1/admin/sources/bare')
      const { created_at, updated_at, ...fields } = answer.body as Record<string, unknown>
      expect(fields).to.deep.equal({ name: 'bare', platform: '', language: '', events: [], destinations: [], version_pinning: {}, warnings: [] })
      expect(created_at).to.match(TIME).and.to.equal(updated_at)
    })

    it('are read as they were stored, one by one and in the list', async () => {
      const sent = { name: 'full', platform: 'web', language: 'javascript', events: ['shop/**', 'account/login'], destinations: ['drain'], version_pinning: { 'shop/paid': '1-0-2' } }
      const { warnings, ...stored } = (await create(sent)).body as Record<string, unknown>
      expect(stored).to.deep.include(sent)
      expect(warnings).to.deep.equal([])
      expect((await get('full')).body).to.deep.equal(stored)
      expect(((await server.call('get', '/v1/admin/sources')).body as { name: string }[]).find(({ name }) => name === 'full')).to.deep.equal(stored)
    })

    it('may name a destination that is not registered yet, and are told so in a warning', async () => {
      const { body, status } = await create({ name: 'early', destinations: ['drain', 'later'] })
      expect(status).to.equal(201)
      expect(body.destinations).to.deep.equal(['drain', 'later'])
      expect(body.warnings).to.have.length(1)
      expect(body.warnings[0]).to.contain('"later"').and.to.contain('not registered')
    })

    it('name each destination once, even when it was sent twice', async () => {
      expect((await create({ name: 'twice', destinations: ['drain', 'drain'] })).body.destinations).to.deep.equal(['drain'])
    })

    it('answer 409 to a second one of the same name, which leaves the first as it was', async () => {
      await create({ name: 'taken', platform: 'ios' })
      const answer = await create({ name: 'taken', platform: 'android' })
      expect(answer.status).to.equal(409)
      expect(answer.body.error).to.contain('"taken"').and.to.contain('PUT')
      expect((await get('taken')).body.platform).to.equal('ios')
    })

    it('of one name sent 20 times at once are made once', async () => {
      const statuses = (await Promise.all(Array.from({ length: 20 }, () => create({ name: 'raced' })))).map(({ status }) => status)
      expect(statuses.filter((status) => status === 201)).to.have.length(1)
      expect(statuses.filter((status) => status === 409)).to.have.length(19)
    })

    it('are told apart by the case of their names', async () => {
      expect((await create({ name: 'Case' })).status).to.equal(201)
      expect((await create({ name: 'case' })).status).to.equal(201)
      expect((await get('CASE')).status).to.equal(404)
    })

    const GOOD_NAMES = ['a', '0', 'a.b_c-d', 'x'.repeat(100), 'constructor', 'toString']
    for (const name of GOOD_NAMES) {
      it(`may be called ${name.slice(0, 20)}`, async () => {
        expect((await create({ name })).status).to.equal(201)
        expect((await get(name)).body).to.include({ name })
      })
    }

    const BAD: [body: object, says: string][] = [
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: '-a' }, 'name'],
      [{ name: 'a b' }, 'name'],
      [{ name: 'a/b' }, 'name'],
      [{ name: 'ä' }, 'name'],
      [{ name: 'a\n' }, 'name'],
      [{ name: 'x'.repeat(101) }, 'name'],
      [{ name: '__proto__' }, 'name'],
      [{ name: 7 }, 'name'],
      [{ name: 'bad', platform: 7 }, 'platform'],
      [{ name: 'bad', events: 'shop/**' }, 'events'],
      [{ name: 'bad', events: ['shop'] }, 'events[0]'],
      [{ name: 'bad', events: ['shop/**', 'a/b/c'] }, 'events[1]'],
      [{ name: 'bad', events: ['shop/{a,b}'] }, 'events[0]'],
      [{ name: 'bad', destinations: ['a/b'] }, 'destinations[0]'],
      [{ name: 'bad', version_pinning: { paid: '1-0-0' } }, 'version_pinning'],
      [{ name: 'bad', version_pinning: { 'shop/paid': '1.0.0' } }, 'version_pinning'],
      [{ name: 'bad', version_pinning: { 'shop/paid': '01-0-0' } }, 'version_pinning'],
      [{ name: 'bad', colour: 'red' }, 'colour'],
    ]
    for (const [body, says] of BAD) {
      it(`are refused for ${JSON.stringify(body).slice(0, 70)}, naming ${says}, and not made`, async () => {
        const answer = await create(body)
        expect(answer.status, answer.text).to.equal(400)
        expect(answer.body.error).to.contain(says)
        expect((await get('bad')).status).to.equal(404)
      })
    }

    it('are replaced whole by PUT: what is not sent is not kept', async () => {
      const { body: before } = await create({ name: 'replaced', platform: 'web', events: ['shop/**'], destinations: ['drain'], version_pinning: { 'shop/paid': '1-0-0' } })
      const sent = { name: 'replaced', platform: '', language: 'go', events: [], destinations: ['unknown'] }
      const answer = await replace('replaced', sent)
      expect(answer.status).to.equal(200)
      expect(answer.body).to.deep.include({ ...sent, version_pinning: {}, created_at: before.created_at })
      expect(answer.body.warnings[0]).to.contain('"unknown"')
      expect(Date.parse(answer.body.updated_at as string)).to.be.at.least(Date.parse(before.updated_at as string))
      expect((await get('replaced')).body).to.deep.include({ ...sent, version_pinning: {} })
    })

    for (const field of ['name', 'platform', 'language', 'events', 'destinations']) {
      it(`are not replaced when ${field} is missing from the PUT`, async () => {
        await create({ name: 'partly', platform: 'web' })
        const { [field]: _left, ...body } = { name: 'partly', platform: '', language: '', events: [], destinations: [] } as Record<string, unknown>
        const answer = await replace('partly', body)
        expect(answer.status).to.equal(400)
        expect(answer.body.error).to.contain(field)
        expect((await get('partly')).body.platform).to.equal('web')
      })
    }

    it('cannot be renamed: another name in the body of the PUT is a 400 that names both', async () => {
      await create({ name: 'old' })
      const answer = await replace('old', { name: 'new', platform: '', language: '', events: [], destinations: [] })
      expect(answer.status).to.equal(400)
      expect(answer.body.error).to.contain('"old"').and.to.contain('"new"')
      expect((await get('new')).status).to.equal(404)
    })

    it('are deleted with 204, are gone after, and their events are refused by the next call', async () => {
      await create({ name: 'leaving' })
      const track = () => server.call('post', '/v1/track').send({ source: 'leaving', event_name: 'bye' })
      expect((await track()).status).to.equal(202)
      const answer = await server.call('delete', '/v1/admin/sources/leaving')
      expect([answer.status, answer.text]).to.deep.equal([204, ''])
      expect((await track()).status).to.equal(400)
      expect((await track()).body.error).to.contain('"leaving"')
      expect((await get('leaving')).status).to.equal(404)
      expect((await server.call('delete', '/v1/admin/sources/leaving')).status).to.equal(404)
    })

    it('that do not exist answer 404 to GET, PUT and DELETE, naming the source', async () => {
      const answers = [await get('none'), await replace('none', { name: 'none', platform: '', language: '', events: [], destinations: [] }), await server.call('delete', '/v1/admin/sources/none')]
      for (const { status, body } of answers) {
        expect(status).to.equal(404)
        expect(body.error).to.contain('"none"')
      }
    })

    it('leave one audit entry for each change, with what was before and after', async () => {
      await create({ name: 'audited', platform: 'web' })
      await replace('audited', { name: 'audited', platform: 'ios', language: 'swift', events: ['a/*'], destinations: [] })
      await server.call('delete', '/v1/admin/sources/audited')
      const first = { name: 'audited', platform: 'web', language: '', events: [], destinations: [], version_pinning: {} }
      const second = { name: 'audited', platform: 'ios', language: 'swift', events: ['a/*'], destinations: [], version_pinning: {} }
      expect((await auditOf('audited')).map(({ action, before, after }) => ({ action, before, after }))).to.deep.equal([
        { action: 'deleted', before: second, after: null },
        { action: 'updated', before: first, after: second },
        { action: 'created', before: null, after: first },
      ])
    })

    it('leave no audit entry when a change is refused', async () => {
      const count = async () => ((await server.call('get', '/v1/audit?entity=source&limit=1000')).body as unknown[]).length
      await create({ name: 'quiet' })
      const before = await count()
      await create({ name: 'quiet' })
      await create({ name: 'a b' })
      await replace('nowhere', { name: 'nowhere', platform: '', language: '', events: [], destinations: [] })
      await server.call('delete', '/v1/admin/sources/nowhere')
      expect(await count()).to.equal(before)
    })

    it('are listed by name in code unit order, and page by Link until each was seen once', async () => {
      for (const name of ['page-b', 'page-a', 'Page-a', 'page.a', 'page_a', 'page-a1']) await create({ name })
      const all = ((await server.call('get', '/v1/admin/sources')).body as { name: string }[]).map(({ name }) => name)
      expect(all).to.deep.equal([...all].sort())
      const seen: string[] = []
      let path: string | undefined = '/v1/admin/sources?limit=4'
      while (path !== undefined) {
        const page = await server.call('get', path)
        seen.push(...(page.body as { name: string }[]).map(({ name }) => name))
        path = /^<(.+)>; rel="next"$/.exec(page.headers['link'] ?? '')?.[1]
      }
      expect(seen).to.deep.equal(all)
    })
  })
})
