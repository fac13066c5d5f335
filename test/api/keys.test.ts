import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { generateKey, hashKey } from '../../src/admin/key-format.ts'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const HOUR = 3_600_000
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

interface ListedKey {
  id: number
  name: string | null
  role: string
  prefix: string
  status: string
  created_by: string | null
  created_at: string
  expires_at: string | null
  last_used_at: string | null
  revoked_at: string | null
}

interface AuditEntry {
  action: string
  entity_id: string
  user: { id: number | null; name: string | null; role: string | null }
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

onEachEngine((engine) => {
  describe('API keys', () => {
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine)
    })
    after(() => server.stop())

    const create = (body: object) => server.call('post', '/v1/admin/keys').send(body)
    const listed = async (id: number) => ((await server.call('get', '/v1/admin/keys')).body as ListedKey[]).find((key) => key.id === id) as ListedKey
    const auditOf = async (id: number) => ((await server.call('get', '/v1/audit?entity=key&limit=1000')).body as AuditEntry[]).filter((entry) => entry.entity_id === String(id))
    const statusWith = async (key: string) => (await server.call('get', '/v1/events', key)).status

    it('are created with exactly id, key, role, name, created_at and expires_at, and a Location', async () => {
      const answer = await create({ role: 'publisher', name: 'ci' })
      expect(answer.status).to.equal(201)
      expect(answer.body).to.have.all.keys('id', 'key', 'role', 'name', 'created_at', 'expires_at')
      expect(answer.body).to.include({ role: 'publisher', name: 'ci', expires_at: null })
      expect(answer.body.id).to.be.a('number')
      expect(answer.body.key).to.match(/^sb_[0-9A-Za-z]{46}$/)
      expect(answer.body.created_at).to.match(TIME)
      expect(answer.headers['location']).to.equal(`/v1/admin/keys/${answer.body.id}`)
      expect(answer.headers['cache-control']).to.equal('no-store')
    })

    it('have the name null when none is given', async () => {
      expect((await create({ role: 'viewer' })).body.name).to.equal(null)
    })

    const LIFETIMES: [text: string, ms: number][] = [
      ['30s', 30_000],
      ['15m', 15 * 60_000],
      ['24h', 24 * HOUR],
      ['7d', 7 * 24 * HOUR],
      ['90d', 90 * 24 * HOUR],
      ['1y', 365 * 24 * HOUR],
      ['100y', 36_500 * 24 * HOUR],
    ]
    for (const [text, ms] of LIFETIMES) {
      it(`expire exactly ${text} after their creation`, async () => {
        const { body } = await create({ role: 'viewer', expires_in: text })
        expect(Date.parse(body.expires_at as string) - Date.parse(body.created_at as string)).to.equal(ms)
        expect((await listed(body.id as number)).expires_at).to.equal(body.expires_at)
      })
    }

    for (const text of ['', '0h', '-1h', '1.5h', '90', 'd', '1w', '24 h', '101y', '24hours', '2026-11-21T00:00:00Z']) {
      it(`are refused with expires_in ${JSON.stringify(text)}, and none is made`, async () => {
        const before = ((await server.call('get', '/v1/admin/keys')).body as unknown[]).length
        const answer = await create({ role: 'viewer', expires_in: text })
        expect(answer.status, answer.text).to.equal(400)
        expect(answer.body.error).to.contain('expires_in')
        expect((await server.call('get', '/v1/admin/keys')).body).to.have.length(before)
      })
    }

    const BAD_BODIES: [body: object, says: string][] = [
      [{}, 'role'],
      [{ role: 'owner' }, 'viewer, publisher, admin'],
      [{ role: 'Admin' }, 'viewer, publisher, admin'],
      [{ role: ['admin'] }, 'role'],
      [{ role: 'viewer', name: 7 }, 'name'],
      [{ role: 'viewer', name: 'x'.repeat(101) }, 'name'],
      [{ role: 'viewer', expires_in: 24 }, 'expires_in'],
      [{ role: 'viewer', expires_at: '2030-01-01T00:00:00Z' }, 'expires_at'],
      [{ role: 'viewer', key: 'sb_mine' }, 'key'],
    ]
    for (const [body, says] of BAD_BODIES) {
      it(`are refused for ${JSON.stringify(body).slice(0, 60)}, naming ${says}`, async () => {
        const answer = await create(body)
        expect(answer.status, answer.text).to.equal(400)
        expect(answer.body.error).to.contain(says)
      })
    }

    it('are listed with their fields and without anything secret', async () => {
      const { body: created } = await create({ role: 'viewer', name: 'listed', expires_in: '7d' })
      const answer = await server.call('get', '/v1/admin/keys')
      const key = (answer.body as ListedKey[]).find(({ id }) => id === created.id) as ListedKey
      expect(key).to.have.all.keys('id', 'name', 'role', 'prefix', 'created_by', 'created_at', 'expires_at', 'last_used_at', 'revoked_at', 'status')
      expect(key).to.include({ name: 'listed', role: 'viewer', status: 'active', prefix: created.key.slice(0, 11), created_by: 'root', revoked_at: null, last_used_at: null })
      for (const raw of [created.key as string, server.adminKey]) {
        expect(answer.text).not.to.contain(raw)
        expect(answer.text).not.to.contain(hashKey(raw))
        expect(answer.text).not.to.contain(raw.slice(11))
      }
    })

    it('say who created them: the name of the key, or its id when it has none', async () => {
      const nameless = await server.keyFor('admin')
      const { body } = await server.call('post', '/v1/admin/keys', nameless.key).send({ role: 'viewer' })
      expect((await listed(body.id as number)).created_by).to.equal(`key ${nameless.id}`)
    })

    it('have no key in their audit entry when the bootstrap made them', async () => {
      expect((await auditOf(1)).map(({ action, user }) => [action, user.id, user.role])).to.deep.equal([['created', null, null]])
    })

    it('are listed by id, and page by Link until each was seen once, also when keys are added meanwhile', async () => {
      for (let count = 0; count < 7; count++) await create({ role: 'viewer' })
      const all = ((await server.call('get', '/v1/admin/keys')).body as ListedKey[]).map(({ id }) => id)
      expect(all).to.deep.equal([...all].sort((a, b) => a - b))
      const seen: number[] = []
      let path: string | undefined = '/v1/admin/keys?limit=3'
      while (path !== undefined) {
        const page = await server.call('get', path)
        expect(page.status).to.equal(200)
        expect(page.body).to.have.length.within(1, 3)
        seen.push(...(page.body as ListedKey[]).map(({ id }) => id))
        if (seen.length === 3) await create({ role: 'viewer' })
        path = /^<(.+)>; rel="next"$/.exec(page.headers['link'] ?? '')?.[1]
      }
      expect(seen.slice(0, all.length)).to.deep.equal(all)
      expect(seen).to.have.length(all.length + 1)
    })

    it('answer 400 to a cursor that no Link held', async () => {
      for (const cursor of ['nonsense', '1', 'WzFd', Buffer.from('["x"]').toString('base64url')]) {
        const answer = await server.call('get', `/v1/admin/keys?cursor=${cursor}`)
        expect(answer.status, cursor).to.equal(400)
        expect(answer.body.error).to.contain('cursor')
      }
    })

    it('are revoked with 204 and no body, once more with 204, and keep the time of the first revocation', async () => {
      const { id, key } = await server.keyFor('viewer')
      const first = await server.call('delete', `/v1/admin/keys/${id}`)
      expect([first.status, first.text]).to.deep.equal([204, ''])
      const revokedAt = (await listed(id)).revoked_at
      expect(revokedAt).to.match(TIME)
      expect((await server.call('delete', `/v1/admin/keys/${id}`)).status).to.equal(204)
      expect(await listed(id)).to.include({ status: 'revoked', revoked_at: revokedAt })
      expect(await statusWith(key)).to.equal(401)
      expect((await auditOf(id)).map(({ action }) => action)).to.deep.equal(['revoked', 'created'])
    })

    it('that do not exist answer 404 to their revocation, with a sentence', async () => {
      const answer = await server.call('delete', '/v1/admin/keys/999999')
      expect(answer.status).to.equal(404)
      expect(answer.body.error).to.contain('999999')
    })

    for (const id of ['0', '-1', '1.5', 'abc', '99999999999999999999']) {
      it(`answer 400 to the id ${id}`, async () => {
        expect((await server.call('delete', `/v1/admin/keys/${id}`)).status).to.equal(400)
      })
    }

    it('may revoke themselves', async () => {
      const { id, key } = await server.keyFor('admin')
      expect((await server.call('delete', `/v1/admin/keys/${id}`, key)).status).to.equal(204)
      expect(await statusWith(key)).to.equal(401)
    })

    it('that are expired, revoked or unknown are refused alike, to the letter', async () => {
      const expired = await server.keyFor('viewer', '1s')
      expect(await statusWith(expired.key)).to.equal(200)
      const revoked = await server.keyFor('viewer')
      await server.call('delete', `/v1/admin/keys/${revoked.id}`)
      await sleep(1050)
      const refusals = []
      for (const key of [expired.key, revoked.key, generateKey()]) {
        const { status, headers, body } = await server.call('get', '/v1/events', key)
        refusals.push({ status, authenticate: headers['www-authenticate'], error: body.error, code: body.code })
      }
      expect(refusals[0]).to.include({ status: 401, authenticate: 'Bearer', code: 'unauthorized' })
      expect(refusals[1]).to.deep.equal(refusals[0])
      expect(refusals[2]).to.deep.equal(refusals[0])
      expect((await listed(expired.id)).status).to.equal('expired')
      expect((await listed(revoked.id)).status).to.equal('revoked')
    })

    it('that expired and were revoked after count as revoked', async () => {
      const { id } = await server.keyFor('viewer', '1s')
      await sleep(1050)
      expect((await listed(id)).status).to.equal('expired')
      await server.call('delete', `/v1/admin/keys/${id}`)
      expect((await listed(id)).status).to.equal('revoked')
    })

    it('leave one audit entry for their creation and one for their revocation, without key or hash', async () => {
      const { body } = await create({ role: 'publisher', name: 'audited', expires_in: '24h' })
      await server.call('delete', `/v1/admin/keys/${body.id}`)
      const entries = await auditOf(body.id as number)
      expect(entries.map(({ action, user }) => [action, user.name, user.role])).to.deep.equal([
        ['revoked', 'root', 'admin'],
        ['created', 'root', 'admin'],
      ])
      const [revocation, creation] = entries as [AuditEntry, AuditEntry]
      expect(creation.before).to.equal(null)
      expect(creation.after).to.include({ id: body.id, role: 'publisher', name: 'audited', prefix: body.key.slice(0, 11) })
      expect(revocation.after).to.equal(null)
      expect(revocation.before).to.include({ id: body.id, role: 'publisher' })
      expect(JSON.stringify(entries)).not.to.contain(body.key.slice(11)).and.not.to.contain(hashKey(body.key as string))
    })

    it('tell their expiry in the audit log as a time, like everything else', async () => {
      const { body } = await create({ role: 'viewer', expires_in: '24h' })
      expect((await auditOf(body.id as number))[0]?.after).to.include({ expires_at: body.expires_at })
    })

    it('leave no audit entry when their creation is refused', async () => {
      const count = async () => ((await server.call('get', '/v1/audit?entity=key&limit=1000')).body as unknown[]).length
      const before = await count()
      await create({ role: 'owner' })
      await create({ role: 'viewer', expires_in: '0h' })
      await server.call('delete', '/v1/admin/keys/999999')
      expect(await count()).to.equal(before)
    })

    it('keep a name of any characters as it is', async () => {
      for (const name of ['a\r\nb', 'ключ 🔑', "x'; DROP TABLE api_keys; --", '<script>alert(1)</script>', 'x'.repeat(100), '🔑'.repeat(100)]) {
        const { body, status } = await create({ role: 'viewer', name })
        expect(status, name).to.equal(201)
        expect((await listed(body.id as number)).name).to.equal(name)
      }
    })

    it('show when they were last used, at the latest after the service was stopped', async () => {
      const { id, key } = await server.keyFor('viewer')
      const before = Date.now()
      expect(await statusWith(key)).to.equal(200)
      await server.restart()
      expect(Date.parse((await listed(id)).last_used_at as string)).to.be.within(before, Date.now())
    })
  })
})
