import { expect } from 'chai'
import type { Test } from 'supertest'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

interface Bundle {
  source: string
  etag: string
  events: { namespace: string; name: string; version: string; status: string }[]
}

onEachEngine((engine) => {
  describe('the pull of a source', () => {
    let server: TestServer
    let viewerKey: string
    let named = 0

    before(async () => {
      server = await startTestServer(engine)
      viewerKey = (await server.keyFor('viewer')).key
      await setting('version_policy', 'off')
      for (const [namespace, name] of [['shop', 'paid'], ['shop', 'refunded'], ['shop.eu', 'paid'], ['shop.us', 'paid'], ['shopping', 'paid'], ['account', 'login'], ['account', 'logout']] as const) await publish({ namespace, name, version: '1-0-0' })
    })
    after(() => server.stop())

    const setting = async (key: string, value: string) => expect((await server.call('put', `/v1/admin/config/${key}`).send({ value })).status).to.equal(200)
    const publish = async (spec: object) => {
      const answer = await server.call('post', '/v1/events').send(spec)
      expect(answer.status, answer.text).to.equal(201)
    }
    const setStatus = async (path: string, status: string) => expect((await server.call('put', `/v1/events/${path}/status`).send({ status })).status).to.equal(200)
    /** A source of a name that no other test uses. */
    const sourceWith = async (fields: object): Promise<string> => {
      const name = `source-${++named}`
      expect((await server.call('post', '/v1/admin/sources').send({ name, ...fields })).status).to.equal(201)
      return name
    }
    const pull = (source: string): Test => server.call('get', `/v1/sources/${source}/pull`, viewerKey)
    const idsOf = (answer: { body: Bundle }) => answer.body.events.map(({ namespace, name, version }) => `${namespace}/${name}@${version}`)

    it('is the source, its etag and whole specs, for a viewer', async () => {
      const source = await sourceWith({ events: ['account/login'] })
      const answer = await pull(source)
      expect(answer.status).to.equal(200)
      expect(answer.body).to.have.all.keys('source', 'etag', 'events')
      expect(answer.body.source).to.equal(source)
      expect(answer.body.etag).to.equal(answer.headers['etag']).and.to.match(/^"[A-Za-z0-9_-]{20,}"$/)
      expect(answer.body.events).to.deep.equal([(await server.call('get', '/v1/events/account/login')).body])
    })

    const GLOBS: [events: string[], found: string[]][] = [
      [[], ['account/login', 'account/logout', 'shop/paid', 'shop/refunded', 'shop.eu/paid', 'shop.us/paid', 'shopping/paid']],
      [['**'], ['account/login', 'account/logout', 'shop/paid', 'shop/refunded', 'shop.eu/paid', 'shop.us/paid', 'shopping/paid']],
      [['shop/**'], ['shop/paid', 'shop/refunded']],
      [['shop/*'], ['shop/paid', 'shop/refunded']],
      [['shop/paid'], ['shop/paid']],
      [['shop.eu/**'], ['shop.eu/paid']],
      [['shop.*/**'], ['shop.eu/paid', 'shop.us/paid']],
      [['shop/paid', 'account/*'], ['account/login', 'account/logout', 'shop/paid']],
      [['shop/paid', 'shop/**', '**'], ['account/login', 'account/logout', 'shop/paid', 'shop/refunded', 'shop.eu/paid', 'shop.us/paid', 'shopping/paid']],
      [['account/log*'], ['account/login', 'account/logout']],
      [['*/paid'], ['shop/paid', 'shop.eu/paid', 'shop.us/paid', 'shopping/paid']],
      [['SHOP/**'], []],
      [['nowhere/**'], []],
    ]
    for (const [events, found] of GLOBS) {
      it(`of ${JSON.stringify(events)} holds ${found.join(', ') || 'nothing'}`, async () => {
        expect(idsOf(await pull(await sourceWith({ events })))).to.deep.equal(found.map((id) => `${id}@1-0-0`))
      })
    }

    it('holds the latest version of each event, and neither drafts nor deleted ones', async () => {
      const source = await sourceWith({ events: ['latest/**'] })
      await publish({ namespace: 'latest', name: 'both', version: '2-0-0' })
      await publish({ namespace: 'latest', name: 'both', version: '10-0-0' })
      await publish({ namespace: 'latest', name: 'both', version: '11-0-0', status: 'draft' })
      await publish({ namespace: 'latest', name: 'only_draft', version: '1-0-0', status: 'draft' })
      await publish({ namespace: 'latest', name: 'only_deleted', version: '1-0-0', status: 'deleted' })
      await publish({ namespace: 'latest', name: 'only_deprecated', version: '1-0-0', status: 'deprecated' })
      expect(idsOf(await pull(source))).to.deep.equal(['latest/both@10-0-0', 'latest/only_deprecated@1-0-0'])
    })

    it('holds the pinned version where one is pinned and in force', async () => {
      for (const version of ['1-0-0', '1-1-0', '2-0-0']) await publish({ namespace: 'pinned', name: 'paid', version })
      await publish({ namespace: 'pinned', name: 'free', version: '1-0-0' })
      const pinnedTo = async (version: string) => idsOf(await pull(await sourceWith({ events: ['pinned/**'], version_pinning: { 'pinned/paid': version } })))
      expect(await pinnedTo('1-0-0')).to.deep.equal(['pinned/free@1-0-0', 'pinned/paid@1-0-0'])
      expect(await pinnedTo('9-9-9')).to.deep.equal(['pinned/free@1-0-0', 'pinned/paid@2-0-0'])
      await setStatus('pinned/paid/1-1-0', 'deprecated')
      expect(await pinnedTo('1-1-0')).to.deep.equal(['pinned/free@1-0-0', 'pinned/paid@1-1-0'])
      await setStatus('pinned/paid/1-1-0', 'deleted')
      expect(await pinnedTo('1-1-0')).to.deep.equal(['pinned/free@1-0-0', 'pinned/paid@2-0-0'])
    })

    it('of an unknown source is a 404 that names it', async () => {
      const answer = await pull('nobody')
      expect(answer.status).to.equal(404)
      expect(answer.body.error).to.contain('"nobody"')
    })

    it('is 304 without a body while nothing changed, for every form of the tag', async () => {
      const source = await sourceWith({ events: ['account/**'] })
      const { etag } = (await pull(source)).body as Bundle
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, `${etag},"other"`, '*']) {
        const answer = await pull(source).set('If-None-Match', tag)
        expect([answer.status, answer.text], tag).to.deep.equal([304, ''])
        expect(answer.headers['etag']).to.equal(etag)
      }
      for (const tag of ['"other"', etag.slice(1, -1), `${etag.slice(0, -1)}x"`]) expect((await pull(source).set('If-None-Match', tag)).status, tag).to.equal(200)
    })

    it('keeps its etag over a restart, over changes of other events and over publications of the same content', async () => {
      const source = await sourceWith({ events: ['account/**'] })
      const { etag } = (await pull(source)).body as Bundle
      await publish({ namespace: 'elsewhere', name: 'paid', version: '1-0-0' })
      await publish({ namespace: 'account', name: 'login', version: '1-0-0' })
      await publish({ namespace: 'account', name: 'login', version: '2-0-0', status: 'draft' })
      await server.call('put', `/v1/admin/sources/${source}`).send({ name: source, platform: 'other', language: 'other', events: ['account/*'], destinations: [] })
      await server.restart()
      expect((await pull(source)).body.etag).to.equal(etag)
    })

    it('differs from that of another source with the same events', async () => {
      const [one, other] = [await sourceWith({ events: ['account/**'] }), await sourceWith({ events: ['account/**'] })]
      expect((await pull(one)).body.etag).not.to.equal((await pull(other)).body.etag)
    })

    it('changes its etag exactly with its content, while 40 publications and status changes go on', async () => {
      const source = await sourceWith({ events: ['busy/**'] })
      const contentByEtag = new Map<string, string>()
      const etagByContent = new Map<string, string>()
      let isOver = false
      const publisher = (async () => {
        for (let round = 0; round < 10; round++) {
          await publish({ namespace: 'busy', name: `event_${round % 3}`, version: `${round + 1}-0-0` })
          await publish({ namespace: 'elsewhere', name: 'noise', version: `${round + 10}-0-0` })
          await setStatus(`busy/event_${round % 3}/${round + 1}-0-0`, 'deprecated')
          await setStatus(`busy/event_${round % 3}/${round + 1}-0-0`, 'active')
        }
        isOver = true
      })()
      let pulls = 0
      while (!isOver) {
        const { etag, ...content } = (await pull(source)).body as Bundle
        const text = JSON.stringify(content)
        pulls += 1
        if ((contentByEtag.get(etag) ?? text) !== text) expect.fail(`one etag for two contents: ${text} and ${contentByEtag.get(etag)}`)
        if ((etagByContent.get(text) ?? etag) !== etag) expect.fail(`two etags for one content: ${text}`)
        contentByEtag.set(etag, text)
        etagByContent.set(text, etag)
      }
      await publisher
      expect(pulls, 'the pulls that were made').to.be.greaterThan(20)
      expect(contentByEtag.size, 'the contents that were seen').to.be.greaterThan(5)
    })
  })
})
