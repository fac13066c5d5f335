import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually } from '../admin/support/eventually.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Receiver } from '../relay/support/receiver.ts'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const MASK = '********'
const SIGNING_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
// Workers are compared with the destinations once a second; deliveries then take milliseconds.
const LONG_ENOUGH_MS = 1500

interface AuditEntry {
  action: string
  entity: string
  entity_id: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  reason: string | null
}

onEachEngine((engine) => {
  describe('destinations', () => {
    let server: TestServer
    let receiver: Receiver

    before(async () => {
      server = await startTestServer(engine)
      receiver = await startReceiver()
    })
    after(async () => {
      await server.stop()
      await receiver.close()
    })

    const create = (name: string, provider: string, config: object) => server.call('post', '/v1/admin/destinations').send({ name, provider, config })
    const replace = (name: string, provider: string, config: object) => server.call('put', `/v1/admin/destinations/${name}`).send({ name, provider, config })
    const get = (name: string) => server.call('get', `/v1/admin/destinations/${name}`)
    const remove = (name: string, query = '') => server.call('delete', `/v1/admin/destinations/${name}${query}`)
    const createSource = (name: string, ...destinations: string[]) => server.call('post', '/v1/admin/sources').send({ name, destinations })
    const track = (source: string, id: string) => server.call('post', '/v1/track').send({ source, event_name: 'paid', message_id: id })
    const auditOf = async (name: string) => ((await server.call('get', '/v1/audit?limit=1000')).body as AuditEntry[]).filter((entry) => entry.entity_id === name)
    const requestWith = (id: string) => receiver.requests.find(({ ids }) => ids.includes(id))
    const arrives = (id: string) => eventually(`${id} arrives`, () => receiver.taken().includes(id))

    it('are created with their settings, state and times, and a Location', async () => {
      const answer = await create('plain', 'http', { url: 'https://collector.example.com/events', batch_size: 5 })
      expect(answer.status).to.equal(201)
      expect(answer.headers['location']).to.equal('/v1/admin/destinations/plain')
      expect(answer.body).to.deep.include({ name: 'plain', provider: 'http', config: { url: 'https://collector.example.com/events', batch_size: 5 }, state: 'running', paused_reason: null })
      expect((await get('plain')).body).to.deep.equal(answer.body)
    })

    for (const [alias, name, config] of [['webhook', 'http', { url: 'http://127.0.0.1:9/' }], ['console', 'stdout', {}]] as const) {
      it(`may be of provider ${alias}, which is another word for ${name}`, async () => {
        expect((await create(`by-${alias}`, alias, config)).body.provider).to.equal(name)
      })
    }

    it('of an unknown provider are refused with the list of providers', async () => {
      const answer = await create('bird', 'carrier-pigeon', {})
      expect(answer.status).to.equal(400)
      for (const provider of ['http', 'webhook', 'file', 'stdout', 'console', 'noop']) expect(answer.body.error).to.contain(provider)
      expect((await get('bird')).status).to.equal(404)
    })

    const BAD: [provider: string, config: object, says: string][] = [
      ['http', {}, 'url'],
      ['http', { url: 'ftp://example.com' }, 'url'],
      ['http', { url: 'http://user:pass@example.com/' }, 'url'],
      ['http', { url: 'https://example.com', colour: 'red' }, 'colour'],
      ['http', { url: 'https://example.com', batch_size: 0 }, 'batch_size'],
      ['http', { url: 'https://example.com', timeout: '1h' }, 'timeout'],
      ['http', { url: 'https://example.com', api_key: '' }, 'api_key'],
      ['http', { url: 'https://example.com', api_key: 'a\nb' }, 'api_key'],
      ['http', { url: 'https://example.com', headers: { Host: 'x' } }, 'Host'],
      ['http', { url: 'https://example.com', signing_secret: 'short' }, 'signing_secret'],
      ['file', {}, 'path'],
      ['file', { path: '../../etc/passwd' }, 'path'],
      ['file', { path: 'signalbook.db' }, 'path'],
      ['noop', { colour: 'red' }, 'colour'],
    ]
    for (const [provider, config, says] of BAD) {
      it(`of provider ${provider} are refused with ${JSON.stringify(config).slice(0, 70)}, naming ${says}`, async () => {
        const answer = await create('bad', provider, config)
        expect(answer.status, answer.text).to.equal(400)
        expect(answer.body.error).to.contain(says)
        expect((await get('bad')).status).to.equal(404)
      })
    }

    it('never repeat a refused credential in the error', async () => {
      const answer = await create('bad', 'http', { url: 'https://example.com', api_key: 'hunter2\n' })
      expect(answer.status).to.equal(400)
      expect(answer.text).not.to.contain('hunter2')
    })

    it('answer 409 to a second one of the same name, which leaves the first as it was', async () => {
      await create('taken', 'noop', {})
      const answer = await create('taken', 'http', { url: 'https://example.com' })
      expect(answer.status).to.equal(409)
      expect(answer.body.error).to.contain('"taken"')
      expect((await get('taken')).body.provider).to.equal('noop')
    })

    it('show every secret as ******** in every answer and in the audit log', async () => {
      const secrets = { api_key: 'hush-api-key', headers: { 'X-Token': 'hush-header' }, signing_secret: SIGNING_SECRET }
      const config = { url: 'https://collector.example.com/', ...secrets }
      const answers = [
        await create('secretive', 'http', config),
        await get('secretive'),
        await server.call('get', '/v1/admin/destinations'),
        await replace('secretive', 'http', config),
        await server.call('post', '/v1/admin/destinations/secretive/pause').send({}),
        await server.call('post', '/v1/admin/destinations/secretive/resume'),
        await server.call('get', '/v1/admin/deliveries'),
        await create('secretive', 'http', config),
        await remove('secretive'),
        await server.call('get', '/v1/audit?entity=destination&limit=1000'),
      ]
      expect(answers.map(({ status }) => status)).to.deep.equal([201, 200, 200, 200, 200, 200, 200, 409, 204, 200])
      expect(answers[1]?.body.config).to.deep.equal({ url: 'https://collector.example.com/', api_key: MASK, headers: { 'X-Token': MASK }, signing_secret: MASK })
      for (const { text } of answers) expect(text).not.to.contain('hush').and.not.to.contain(SIGNING_SECRET)
      expect((await auditOf('secretive')).map(({ after }) => (after?.['config'] as Record<string, unknown> | undefined)?.['api_key'])).to.deep.equal([undefined, MASK, MASK, MASK, MASK])
    })

    it('keep a secret that is sent back masked: the next delivery still carries it', async () => {
      const config = { url: receiver.url, api_key: 'kept-key', headers: { 'X-Token': 'kept-header', 'X-Other': 'old' }, signing_secret: SIGNING_SECRET }
      await create('keeping', 'http', config)
      await createSource('keeper', 'keeping')
      const { body: read } = await get('keeping')
      const answer = await replace('keeping', 'http', { ...read.config, headers: { ...read.config.headers, 'X-Other': 'new' }, batch_size: 2, batch: true })
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.body.config).to.include({ api_key: MASK, batch_size: 2 })
      await sleep(LONG_ENOUGH_MS)
      await track('keeper', 'kept-1')
      await arrives('kept-1')
      expect(requestWith('kept-1')?.headers).to.include({ authorization: 'Bearer kept-key', 'x-token': 'kept-header', 'x-other': 'new' })
      expect(requestWith('kept-1')?.headers).to.have.property('webhook-signature')
    })

    it('drop a secret that is left out of the PUT: the next delivery goes without it', async () => {
      await create('dropping', 'http', { url: receiver.url, api_key: 'dropped-key' })
      await createSource('dropper', 'dropping')
      expect((await replace('dropping', 'http', { url: receiver.url })).body.config).to.deep.equal({ url: receiver.url })
      await sleep(LONG_ENOUGH_MS)
      await track('dropper', 'dropped-1')
      await arrives('dropped-1')
      expect(requestWith('dropped-1')?.headers).not.to.have.property('authorization')
    })

    it('refuse the mask where no secret is stored, on POST, on PUT, and after a change of provider', async () => {
      expect((await create('bad', 'http', { url: receiver.url, api_key: MASK })).status).to.equal(400)
      await create('maskless', 'http', { url: receiver.url })
      for (const config of [{ api_key: MASK }, { headers: { 'X-Token': MASK } }, { signing_secret: MASK }]) {
        expect((await replace('maskless', 'http', { url: receiver.url, ...config })).status, JSON.stringify(config)).to.equal(400)
      }
      await create('changing', 'http', { url: receiver.url, api_key: 'for-http-only' })
      const answer = await replace('changing', 'noop', { api_key: MASK })
      expect(answer.status, answer.text).to.equal(400)
      expect((await get('changing')).body.provider).to.equal('http')
    })

    it('are replaced whole by PUT, and need provider and name in it', async () => {
      await create('whole', 'http', { url: receiver.url, batch_size: 5 })
      const put = (body: object) => server.call('put', '/v1/admin/destinations/whole').send(body)
      expect((await put({ name: 'whole', config: { url: receiver.url } })).status).to.equal(400)
      expect((await put({ provider: 'http', config: { url: receiver.url } })).status).to.equal(400)
      expect((await put({ name: 'whole', provider: 'http' })).status).to.equal(400)
      const answer = await put({ name: 'whole', provider: 'http', config: { url: receiver.url, timeout: '5s' } })
      expect(answer.status).to.equal(200)
      expect(answer.body.config).to.deep.equal({ url: receiver.url, timeout: '5s' })
    })

    it('cannot be renamed: another name in the body of the PUT is a 400 that names both', async () => {
      await create('old', 'noop', {})
      const answer = await server.call('put', '/v1/admin/destinations/old').send({ name: 'new', provider: 'noop', config: {} })
      expect(answer.status).to.equal(400)
      expect(answer.body.error).to.contain('"old"').and.to.contain('"new"')
    })

    it('that do not exist answer 404 to every call, naming the destination', async () => {
      const answers = [
        await get('none'),
        await replace('none', 'noop', {}),
        await remove('none'),
        await remove('none', '?force=true'),
        await server.call('post', '/v1/admin/destinations/none/pause').send({}),
        await server.call('post', '/v1/admin/destinations/none/resume'),
      ]
      for (const { status, body } of answers) {
        expect(status).to.equal(404)
        expect(body.error).to.contain('"none"')
      }
    })

    it('in use are not deleted: 409 names every source, and nothing changes', async () => {
      await create('used', 'noop', {})
      await createSource('user-b', 'used')
      await createSource('user-a', 'plain', 'used')
      const answer = await remove('used')
      expect(answer.status).to.equal(409)
      expect(answer.body.error).to.contain('"user-a"').and.to.contain('"user-b"').and.to.contain('force=true')
      expect((await get('used')).status).to.equal(200)
      expect((await remove('used', '?force=false')).status).to.equal(409)
    })

    it('in use are deleted with force, which takes them out of their sources and leaves an entry for each', async () => {
      await create('forced', 'noop', {})
      await createSource('forced-a', 'plain', 'forced')
      await createSource('forced-b', 'forced')
      expect((await remove('forced', '?force=true')).status).to.equal(204)
      expect((await get('forced')).status).to.equal(404)
      expect((await server.call('get', '/v1/admin/sources/forced-a')).body.destinations).to.deep.equal(['plain'])
      expect((await server.call('get', '/v1/admin/sources/forced-b')).body.destinations).to.deep.equal([])
      expect((await auditOf('forced')).map(({ action }) => action)).to.deep.equal(['deleted', 'created'])
      const [edit] = await auditOf('forced-a')
      expect(edit).to.deep.include({ action: 'updated', entity: 'source', reason: 'destination "forced" was deleted' })
      expect(edit?.after?.['destinations']).to.deep.equal(['plain'])
    })

    it('made again under an old name do not get what was meant for the old one', async () => {
      await create('phoenix', 'http', { url: receiver.url })
      await createSource('ashes', 'phoenix')
      await server.call('post', '/v1/admin/destinations/phoenix/pause').send({})
      await sleep(LONG_ENOUGH_MS)
      await track('ashes', 'for-the-old')
      expect((await remove('phoenix', '?force=true')).status).to.equal(204)
      await create('phoenix', 'http', { url: receiver.url })
      await server.call('put', '/v1/admin/sources/ashes').send({ name: 'ashes', platform: '', language: '', events: [], destinations: ['phoenix'] })
      await track('ashes', 'for-the-new')
      await arrives('for-the-new')
      await sleep(LONG_ENOUGH_MS)
      expect(receiver.taken()).not.to.include('for-the-old')
    })

    it('registered after their source get events from then on', async () => {
      await createSource('early-bird', 'late')
      await track('early-bird', 'before-it-existed')
      await create('late', 'http', { url: receiver.url })
      await track('early-bird', 'since-it-exists')
      await arrives('since-it-exists')
      expect(receiver.taken()).not.to.include('before-it-existed')
    })

    it('paused say so with the reason, keep their events, and deliver them in order once resumed', async () => {
      await create('held', 'http', { url: receiver.url })
      await createSource('holder', 'held')
      const paused = await server.call('post', '/v1/admin/destinations/held/pause').send({ reason: 'maintenance until 18:00' })
      expect(paused.body).to.include({ state: 'paused', paused_reason: 'maintenance until 18:00' })
      expect((await get('held')).body).to.include({ state: 'paused', paused_reason: 'maintenance until 18:00' })
      await sleep(LONG_ENOUGH_MS)
      const ids = ['held-1', 'held-2', 'held-3']
      for (const id of ids) expect((await track('holder', id)).body).to.deep.equal({ status: 'accepted', message_id: id })
      await sleep(LONG_ENOUGH_MS)
      expect(receiver.taken().filter((id) => id.startsWith('held-'))).to.deep.equal([])
      const delivery = async () => ((await server.call('get', '/v1/admin/deliveries')).body as { destination: string; state: string; backlog: number }[]).find(({ destination }) => destination === 'held')
      expect(await delivery()).to.include({ state: 'paused', backlog: 3 })
      const resumed = await server.call('post', '/v1/admin/destinations/held/resume')
      expect(resumed.body).to.include({ state: 'running', paused_reason: null })
      await eventually('all three arrive', () => ids.every((id) => receiver.taken().includes(id)))
      expect(receiver.taken().filter((id) => id.startsWith('held-'))).to.deep.equal(ids)
      await eventually('the backlog is empty', async () => (await delivery())?.backlog === 0)
      expect((await auditOf('held')).map(({ action, reason }) => [action, reason])).to.deep.equal([
        ['resumed', null],
        ['paused', 'maintenance until 18:00'],
        ['created', null],
      ])
    })

    it('paused get nothing that was sent after the pause was answered', async () => {
      await create('at-once', 'http', { url: receiver.url })
      await createSource('hurried', 'at-once')
      await track('hurried', 'before-the-pause')
      await arrives('before-the-pause')
      expect((await server.call('post', '/v1/admin/destinations/at-once/pause').send({})).status).to.equal(200)
      await track('hurried', 'after-the-pause')
      await sleep(LONG_ENOUGH_MS)
      expect(receiver.taken()).not.to.include('after-the-pause')
    })

    it('replaced are delivered to as the PUT says from its answer on', async () => {
      const elsewhere = await startReceiver()
      try {
        await create('moving', 'http', { url: receiver.url })
        await createSource('mover', 'moving')
        await track('mover', 'before-the-move')
        await arrives('before-the-move')
        expect((await replace('moving', 'http', { url: elsewhere.url })).status).to.equal(200)
        await track('mover', 'after-the-move')
        await eventually('it arrives somewhere', () => receiver.taken().includes('after-the-move') || elsewhere.taken().includes('after-the-move'))
        expect(elsewhere.taken()).to.deep.equal(['after-the-move'])
      } finally {
        await elsewhere.close()
      }
    })

    it('pause themselves with the reason when their credentials are refused, and run again after a PUT', async () => {
      const picky = await startReceiver((request) => (request.headers.authorization === 'Bearer right' ? 200 : 401))
      try {
        await create('picky', 'http', { url: picky.url, api_key: 'wrong' })
        await createSource('picker', 'picky')
        await track('picker', 'picked')
        await eventually('it stops', async () => (await get('picky')).body.state === 'paused')
        expect((await get('picky')).body.paused_reason).to.contain('401')
        expect((await replace('picky', 'http', { url: picky.url, api_key: 'right' })).body).to.include({ state: 'running', paused_reason: null })
        await eventually('it arrives', () => picky.taken().includes('picked'))
      } finally {
        await picky.close()
      }
    })

    it('are listed by name, and page by Link until each was seen once', async () => {
      const all = ((await server.call('get', '/v1/admin/destinations')).body as { name: string }[]).map(({ name }) => name)
      expect(all.length).to.be.greaterThan(8)
      expect(all).to.deep.equal([...all].sort())
      const seen: string[] = []
      let path: string | undefined = '/v1/admin/destinations?limit=3'
      while (path !== undefined) {
        const page = await server.call('get', path)
        seen.push(...(page.body as { name: string }[]).map(({ name }) => name))
        path = /^<(.+)>; rel="next"$/.exec(page.headers['link'] ?? '')?.[1]
      }
      expect(seen).to.deep.equal(all)
    })
  })
})
