import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { hashKey } from '../../src/admin/key-format.ts'
import { onEachEngine } from '../support/database.ts'
import { startOn, startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const HOUR = 3_600_000

interface ListedKey {
  id: number
  created_by: string | null
  expires_at: string | null
  revoked_at: string | null
  status: string
}

interface CreatedKey {
  id: number
  key: string
  role: string
  name: string | null
  created_at: string
  expires_at: string | null
}

onEachEngine((engine) => {
  describe('the rotation of a key', () => {
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine)
    })
    after(() => server.stop())

    const create = async (body: object) => (await server.call('post', '/v1/admin/keys').send(body)).body as CreatedKey
    const rotate = (id: number, body?: object, key?: string) => {
      const call = server.call('post', `/v1/admin/keys/${id}/rotate`, key)
      return body === undefined ? call : call.send(body)
    }
    const listed = async (id: number) => ((await server.call('get', '/v1/admin/keys')).body as ListedKey[]).find((key) => key.id === id) as ListedKey
    const statusWith = async (key: string, instance = server) => (await instance.call('get', '/v1/events', key)).status

    it('gives a new key of the same role, name and expiry, once, while the old one still works', async () => {
      const old = await create({ role: 'publisher', name: 'shop', expires_in: '90d' })
      const answer = await rotate(old.id)
      expect(answer.status, answer.text).to.equal(201)
      const made = answer.body as CreatedKey
      expect(made).to.have.all.keys('id', 'key', 'role', 'name', 'created_at', 'expires_at')
      expect(made).to.include({ role: 'publisher', name: 'shop', expires_at: old.expires_at })
      expect(made.key).to.match(/^sb_[0-9A-Za-z]{46}$/).and.not.to.equal(old.key)
      expect(answer.headers['location']).to.equal(`/v1/admin/keys/${made.id}`)
      expect([await statusWith(old.key), await statusWith(made.key)]).to.deep.equal([200, 200])
      expect(await listed(made.id)).to.include({ status: 'active', revoked_at: null, created_by: 'root' })
      expect((await server.call('get', '/v1/admin/keys')).text).not.to.contain(made.key).and.not.to.contain(hashKey(made.key))
    })

    it('ends the old key a day later unless told otherwise, and shows it', async () => {
      for (const [body, ms] of [[undefined, 24 * HOUR], [{}, 24 * HOUR], [{ overlap: '7d' }, 168 * HOUR]] as const) {
        const old = await create({ role: 'viewer' })
        const made = (await rotate(old.id, body)).body as CreatedKey
        const { status, revoked_at: revokedAt } = await listed(old.id)
        expect(status).to.equal('active')
        expect(Date.parse(revokedAt as string) - Date.parse(made.created_at)).to.equal(ms)
      }
    })

    it('ends the old key at once with 0s, and for good', async () => {
      const old = await create({ role: 'viewer' })
      const { body } = await rotate(old.id, { overlap: '0s' })
      expect([await statusWith(old.key), await statusWith((body as CreatedKey).key)]).to.deep.equal([401, 200])
      expect((await listed(old.id)).status).to.equal('revoked')
    })

    it('ends the old key when the overlap is over, on every instance and without anyone doing anything', async () => {
      const other = await startOn({ ...server.home, remove: async () => {} })
      try {
        const old = await create({ role: 'viewer' })
        const made = (await rotate(old.id, { overlap: '2s' })).body as CreatedKey
        expect([await statusWith(old.key), await statusWith(old.key, other), await statusWith(made.key, other)]).to.deep.equal([200, 200, 200])
        await sleep(Date.parse(made.created_at) + 2000 - Date.now())
        expect([await statusWith(old.key), await statusWith(old.key, other), await statusWith(made.key, other)]).to.deep.equal([401, 401, 200])
        expect((await listed(old.id)).status).to.equal('revoked')
      } finally {
        await other.stop()
      }
    })

    it('can be cut short by revoking the old key', async () => {
      const old = await create({ role: 'viewer' })
      await rotate(old.id)
      expect((await server.call('delete', `/v1/admin/keys/${old.id}`)).status).to.equal(204)
      expect(await statusWith(old.key)).to.equal(401)
      expect(Date.parse((await listed(old.id)).revoked_at as string)).to.be.most(Date.now())
    })

    it('is refused for a key that is revoked, expired or rotated, and then makes none', async () => {
      const revoked = await create({ role: 'viewer' })
      await server.call('delete', `/v1/admin/keys/${revoked.id}`)
      const rotated = await create({ role: 'viewer' })
      await rotate(rotated.id)
      const expired = await create({ role: 'viewer', expires_in: '1s' })
      await sleep(1050)
      const count = async () => ((await server.call('get', '/v1/admin/keys')).body as unknown[]).length
      const before = await count()
      for (const [{ id }, why] of [[revoked, 'is revoked'], [rotated, 'was rotated already'], [expired, 'is expired']] as const) {
        const answer = await rotate(id)
        expect(answer.status).to.equal(409)
        expect((answer.body as { error: string }).error).to.contain(`key ${id} ${why}`)
      }
      expect((await rotate(999_999)).status).to.equal(404)
      expect(await count()).to.equal(before)
    })

    it('happens once when asked for 20 times at once', async () => {
      const old = await create({ role: 'viewer' })
      const statuses = (await Promise.all(Array.from({ length: 20 }, () => rotate(old.id)))).map(({ status }) => status)
      expect(statuses.sort()).to.deep.equal([201, ...Array<number>(19).fill(409)])
    })

    for (const overlap of ['', '-1h', '1.5h', '24', '1w', '101y', 0, null]) {
      it(`is refused with the overlap ${JSON.stringify(overlap)}`, async () => {
        const { id } = await create({ role: 'viewer' })
        const answer = await rotate(id, { overlap })
        expect(answer.status, answer.text).to.equal(400)
        expect((answer.body as { error: string }).error).to.contain('overlap')
        expect((await listed(id)).revoked_at).to.equal(null)
      })
    }

    it('lets an admin key replace itself', async () => {
      const self = await create({ role: 'admin' })
      const made = (await rotate(self.id, { overlap: '0s' }, self.key)).body as CreatedKey
      expect((await server.call('get', '/v1/admin/keys', made.key)).status).to.equal(200)
    })

    it('leaves one audit entry for the old key and one for the new, without key or hash', async () => {
      const old = await create({ role: 'viewer', name: 'audited' })
      const made = (await rotate(old.id, { overlap: '1h' })).body as CreatedKey
      const { body, text } = await server.call('get', '/v1/audit?entity=key&limit=2')
      const [creation, rotation] = body as Record<string, unknown>[]
      expect(creation).to.deep.include({ action: 'created', entity_id: String(made.id) })
      expect(rotation).to.deep.include({ action: 'rotated', entity_id: String(old.id) })
      expect(rotation?.['after']).to.deep.include({ id: old.id, replaced_by: made.id, revoked_at: (await listed(old.id)).revoked_at })
      for (const { key } of [old, made]) expect(text).not.to.contain(key.slice(11)).and.not.to.contain(hashKey(key))
    })
  })
})
