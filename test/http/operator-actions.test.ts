import { expect } from 'chai'
import { until } from '../relay/support/relay-database.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Receiver } from '../relay/support/receiver.ts'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

interface AuditLine {
  action: string
  entity: string
  entity_id: string
  user: { role: string }
  request_id: string
  after: Record<string, unknown>
}

onEachEngine((engine) => {
  describe('what an operator does to events', () => {
    let server: TestServer
    let receiver: Receiver

    before(async () => {
      server = await startTestServer(engine)
      receiver = await startReceiver(() => 400)
      await server.call('post', '/v1/admin/destinations').send({ name: 'sink', provider: 'http', config: { url: receiver.url } })
      await server.call('post', '/v1/admin/sources').send({ name: 'web', destinations: ['sink'] })
    })
    after(async () => {
      await server.stop()
      await receiver.close()
    })

    const lastEntry = async () => ((await server.call('get', '/v1/audit?limit=1')).body as [AuditLine])[0]
    const countOf = async (list: string) => ((await server.call('get', `/v1/admin/${list}`)).body as unknown[]).length

    it('is in the audit log when dead letters are replayed and discarded, with counts, filter and request', async () => {
      await server.call('post', '/v1/batch').send({ source: 'web', events: [1, 2].map((n) => ({ type: 'page', name: 'Home', message_id: `m${n}` })) })
      await until(async () => (await countOf('dead-letters')) === 2, 'the dead letters')
      const replayed = await server.call('post', '/v1/admin/dead-letters/replay').send({ destination: 'sink' }).set('X-Request-Id', 'replay-1')
      expect(replayed.body).to.deep.equal({ replayed: 2 })
      expect(await lastEntry()).to.deep.include({
        action: 'dead_letters_replayed', entity: 'destination', entity_id: 'sink', request_id: 'replay-1', after: { replayed: 2, filter: { destination: 'sink' } },
      })
      await until(async () => (await countOf('dead-letters')) === 2, 'the dead letters of the replay')
      await server.call('delete', '/v1/admin/dead-letters?all=true')
      const entry = await lastEntry()
      expect(entry).to.deep.include({ action: 'dead_letters_discarded', entity_id: 'sink', after: { discarded: 2, filter: {} } })
      expect(entry.user.role).to.equal('admin')
    })

    it('is in the audit log when quarantined events are released and discarded, by source', async () => {
      await server.call('put', '/v1/admin/config/relay_unplanned').send({ value: 'quarantine' })
      await server.call('post', '/v1/batch').send({ source: 'web', events: [3, 4, 5].map((n) => ({ type: 'page', name: 'Home', message_id: `q${n}` })) })
      const [first] = (await server.call('get', '/v1/admin/quarantine')).body as [{ id: number }]
      await server.call('delete', `/v1/admin/quarantine?id=${first.id}`)
      expect(await lastEntry()).to.deep.include({ action: 'quarantine_discarded', entity: 'source', entity_id: 'web', after: { discarded: 1, filter: { ids: [first.id] } } })
      await server.call('put', '/v1/admin/config/relay_unplanned').send({ value: 'allow' })
      await server.call('post', '/v1/admin/quarantine/release').send({ source: 'web' })
      expect(await lastEntry()).to.deep.include({ action: 'quarantine_released', entity_id: 'web', after: { released: 2, filter: { source: 'web' } } })
    })

    it('leaves no entry when nothing was meant', async () => {
      const before = await lastEntry()
      await server.call('delete', '/v1/admin/dead-letters?destination=other')
      await server.call('post', '/v1/admin/quarantine/release').send({ source: 'other' })
      expect(await lastEntry()).to.deep.equal(before)
    })
  })
})
