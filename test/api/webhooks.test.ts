import { expect } from 'chai'
import { eventually } from '../admin/support/eventually.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

interface Listed {
  id: number
  url: string
  created_at: string
  state: string
  last_delivery: { at: string; status: number } | null
}

onEachEngine((engine) => {
  describe('webhooks', () => {
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine)
    })
    after(() => server.stop())

    const create = (url: unknown) => server.call('post', '/v1/webhooks').send({ url })
    const list = async () => (await server.call('get', '/v1/webhooks')).body as Listed[]
    const remove = (id: number) => server.call('delete', `/v1/webhooks/${id}`)

    it('are created with id, url, filter, created_at and a secret of 32 random bytes, and a Location', async () => {
      const answer = await create('https://ci.example.com/hooks?a=b#c')
      expect(answer.status).to.equal(201)
      expect(answer.body).to.have.all.keys('id', 'url', 'namespaces', 'types', 'secret', 'created_at')
      expect(answer.body.url).to.equal('https://ci.example.com/hooks?a=b#c')
      expect(answer.body.secret).to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
      expect(answer.body.created_at).to.match(TIME)
      expect(answer.headers['location']).to.equal(`/v1/webhooks/${answer.body.id}`)
      expect((await create('https://ci.example.com/other')).body.secret).not.to.equal(answer.body.secret)
    })

    it('are listed with what is known of them, and without their secrets', async () => {
      const { body: created } = await create('https://listed.example.com/')
      const answer = await server.call('get', '/v1/webhooks')
      expect((answer.body as Listed[]).find(({ id }) => id === created.id)).to.deep.equal({
        id: created.id, url: created.url, namespaces: [], types: [], created_at: created.created_at,
        state: 'active', disabled_at: null, disabled_reason: null, failing_since: null, previous_secret_until: null, last_delivery: null,
      })
      expect((await server.call('get', `/v1/webhooks/${created.id}`)).body).to.deep.equal((answer.body as Listed[]).find(({ id }) => id === created.id))
      expect(answer.text).not.to.contain('whsec_').and.not.to.contain((created.secret as string).slice(6))
    })

    it('may be registered twice for one address', async () => {
      const [one, other] = [await create('https://twice.example.com/'), await create('https://twice.example.com/')]
      expect([one.status, other.status]).to.deep.equal([201, 201])
      expect(one.body.id).not.to.equal(other.body.id)
    })

    for (const url of ['ftp://example.com', 'file:///etc/passwd', 'javascript:alert(1)', 'example.com', '//example.com', '/hooks', '', ' ', 'http://', 'https://user:pass@example.com', 'https://user@example.com', `https://example.com/${'x'.repeat(2000)}`, 7, null, ['https://example.com']]) {
      it(`are refused with the url ${JSON.stringify(url)?.slice(0, 50)}: 400 that says what would be right`, async () => {
        const before = await list()
        const answer = await create(url)
        expect(answer.status, answer.text).to.equal(400)
        expect(answer.body.error).to.contain('url')
        expect(await list()).to.deep.equal(before)
      })
    }

    it('are refused without url and with a field that they do not have', async () => {
      expect((await server.call('post', '/v1/webhooks').send({})).status).to.equal(400)
      const answer = await server.call('post', '/v1/webhooks').send({ url: 'https://example.com', secret: 'whsec_mine' })
      expect(answer.status).to.equal(400)
      expect(answer.body.error).to.contain('secret')
    })

    it('are deleted with 204, and answer 404 after', async () => {
      const { id } = (await create('https://leaving.example.com/')).body as { id: number }
      expect((await remove(id)).status).to.equal(204)
      expect((await list()).map((webhook) => webhook.id)).not.to.include(id)
      const again = await remove(id)
      expect(again.status).to.equal(404)
      expect(again.body.error).to.contain(String(id))
    })

    it('never get the id of a deleted one', async () => {
      const { id } = (await create('https://first.example.com/')).body as { id: number }
      await remove(id)
      expect((await create('https://second.example.com/')).body.id).to.be.greaterThan(id)
    })

    it('leave one audit entry for their creation and one for their deletion, without the secret', async () => {
      const { body } = await create('https://audited.example.com/')
      await remove(body.id as number)
      const answer = await server.call('get', '/v1/audit?entity=webhook&limit=2')
      expect((answer.body as { action: string; entity_id: string; before: object | null; after: object | null }[]).map(({ action, entity_id, before, after }) => ({ action, entity_id, before, after }))).to.deep.equal([
        { action: 'deleted', entity_id: String(body.id), before: { id: body.id, url: body.url, namespaces: [], types: [] }, after: null },
        { action: 'created', entity_id: String(body.id), before: null, after: { id: body.id, url: body.url, namespaces: [], types: [] } },
      ])
      expect((await server.call('get', '/v1/audit?limit=1000')).text).not.to.contain('whsec_')
    })

    it('are listed by id, and page by Link until each was seen once', async () => {
      const all = (await list()).map(({ id }) => id)
      expect(all.length).to.be.greaterThan(4)
      expect(all).to.deep.equal([...all].sort((a, b) => a - b))
      const seen: number[] = []
      let path: string | undefined = '/v1/webhooks?limit=2'
      while (path !== undefined) {
        const page = await server.call('get', path)
        seen.push(...(page.body as Listed[]).map(({ id }) => id))
        path = /^<(.+)>; rel="next"$/.exec(page.headers['link'] ?? '')?.[1]
      }
      expect(seen).to.deep.equal(all)
    })

    it('show their last delivery and, after 410, that they are disabled', async () => {
      for (const { id } of await list()) await remove(id)
      let status = 200
      const receiver = await startReceiver(() => status)
      try {
        const { id } = (await create(receiver.url)).body as { id: number }
        const shown = async () => (await list()).find((webhook) => webhook.id === id) as Listed
        const startedAt = Date.now()
        await server.call('post', '/v1/events').send({ namespace: 'shop', name: 'first' })
        await eventually('the delivery shows', async () => (await shown()).last_delivery !== null)
        expect((await shown()).last_delivery).to.include({ status: 200 })
        expect(Date.parse((await shown()).last_delivery?.at as string)).to.be.within(startedAt, Date.now())
        status = 410
        await server.call('post', '/v1/events').send({ namespace: 'shop', name: 'second' })
        await eventually('it is disabled', async () => (await shown()).state === 'disabled')
        expect((await shown()).last_delivery).to.include({ status: 410 })
        const [entry] = (await server.call('get', '/v1/audit?entity=webhook&limit=1')).body as object[]
        expect(entry).to.deep.include({ action: 'disabled', entity_id: String(id), before: { state: 'active' }, after: { state: 'disabled' }, reason: 'the receiver answered 410 Gone', request_id: null, ip: null })
      } finally {
        await receiver.close()
      }
    })
  })
})
