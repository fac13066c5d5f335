import { expect } from 'chai'
import { Webhook as Verifier } from 'standardwebhooks'
import { eventually } from '../admin/support/eventually.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Receiver } from '../relay/support/receiver.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import { startOn } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { FIRST_RELEASE, writeFirstRelease } from './support/first-release.ts'

const HOUR = 3_600_000

onEachEngine((engine) => {
  describe('a database of the first release', function () {
    this.timeout(40_000)
    let receiver: Receiver
    let server: TestServer
    const writtenAt = Date.now() - HOUR

    before(async () => {
      receiver = await startReceiver()
      const home = await createTestDatabase(engine)
      await writeFirstRelease(home, receiver.url, writtenAt)
      server = await startOn(home)
      server.adminKey = FIRST_RELEASE.adminKey
    })
    after(async () => {
      await server.stop()
      await receiver.close()
    })

    it('delivers what waited, with the credentials of then', async () => {
      await eventually('the old event arrives', () => receiver.taken().includes(FIRST_RELEASE.messageId))
      expect(receiver.requests.find(({ ids }) => ids.includes(FIRST_RELEASE.messageId))?.headers['x-token']).to.equal(FIRST_RELEASE.header)
    })

    it('keeps keys, specs, sources, destinations, settings, webhooks and the audit log', async () => {
      const read = async (path: string) => {
        const answer = await server.call('get', path)
        expect(answer.status, `${path} ${answer.text}`).to.equal(200)
        return answer.body as Record<string, unknown>
      }
      expect((await read('/v1/admin/keys'))[0]).to.include({ id: 1, name: 'root', role: 'admin', status: 'active', created_at: new Date(writtenAt).toISOString() })
      expect(await read('/v1/events/shop/paid')).to.deep.include({ version: '1-0-0', properties: { total: { type: 'number', required: true } }, published_by: 'root' })
      expect(await read('/v1/admin/sources/web')).to.deep.include({ name: 'web', destinations: ['sink'] })
      expect(await read('/v1/admin/destinations/sink')).to.deep.include({ provider: 'http', config: { url: receiver.url, headers: { 'X-Token': '********' } } })
      expect(((await read('/v1/admin/config')) as unknown as { key: string; value: string }[]).find(({ key }) => key === 'relay_unplanned')).to.include({ value: 'block', updated_by: 'root' })
      expect((await read('/v1/webhooks'))[0]).to.include({ id: 1, url: receiver.url, state: 'active' })
      expect((await read('/v1/audit'))[0]).to.include({ action: 'created', entity_id: 'web' })
    })

    it('knows its events again, and judges new ones by its specs', async () => {
      const track = (fields: object) => server.call('post', '/v1/track').send({ source: 'web', event_name: 'Paid', user_id: 'u-1', ...fields })
      expect((await track({ properties: { total: 5 }, message_id: FIRST_RELEASE.messageId })).body).to.include({ status: 'duplicate' })
      expect((await track({ properties: { total: 'free' } })).body).to.include({ status: 'quarantined' })
      expect((await track({ properties: { total: 6 } })).body).to.include({ status: 'accepted' })
      expect((await track({ event_name: 'Unheard of' })).status, 'relay_unplanned is block').to.equal(400)
    })

    it('finds old events by their message_id, and keeps what is in quarantine', async () => {
      const trail = async (id: string) => ((await server.call('get', `/v1/admin/relay/events?message_id=${id}`)).body as { id: number; status: string; event: object }[])[0]
      expect(await trail(FIRST_RELEASE.messageId)).to.deep.include({ id: 1, status: 'delivered' })
      expect(await trail(FIRST_RELEASE.quarantinedId)).to.deep.include({ id: 2, status: 'quarantined' })
      const [kept] = (await server.call('get', '/v1/admin/quarantine?source=web')).body as { id: number; message_id: string }[]
      expect(kept).to.include({ id: 2, message_id: FIRST_RELEASE.quarantinedId })
      const again = { source: 'web', event_name: 'Paid', user_id: 'u-1', properties: { total: 'five' }, message_id: FIRST_RELEASE.quarantinedId }
      expect((await server.call('post', '/v1/track').send(again)).body).to.include({ status: 'duplicate' })
    })

    it('announces to its webhooks, signed with their secret', async () => {
      expect((await server.call('post', '/v1/events').send({ namespace: 'shop', name: 'paid', properties: { total: { type: 'number', required: true }, note: { type: 'string' } } })).status).to.equal(201)
      const announced = () => receiver.requests.find(({ headers }) => headers['webhook-signature'] !== undefined)
      await eventually('the announcement arrives', () => announced() !== undefined)
      const { body, headers } = announced() as Receiver['requests'][number]
      expect(() => new Verifier(FIRST_RELEASE.webhookSecret).verify(body, headers as Record<string, string>)).not.to.throw()
    })
  })
})
