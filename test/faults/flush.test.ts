import { expect } from 'chai'
import { until } from '../relay/support/relay-database.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Receiver } from '../relay/support/receiver.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { spawnService } from '../support/process.ts'
import type { ServiceProcess } from '../support/process.ts'
import { pages, registerRelay, relayClient } from '../support/relay-client.ts'
import type { RelayClient } from '../support/relay-client.ts'

const EVENTS = 100
const IDS = Array.from({ length: EVENTS }, (_, n) => `m${n}`)

onEachEngine((engine) => {
  describe('a flush, asked of a process that does not deliver', function () {
    this.timeout(60_000)
    let home: TestDatabase
    let receiver: Receiver
    let accepting: ServiceProcess
    let delivering: ServiceProcess
    let client: RelayClient

    before(async () => {
      home = await createTestDatabase(engine)
      receiver = await startReceiver(() => ({ status: 503, headers: { 'retry-after': '250' } }))
      const env = { DATABASE_URL: home.url, ALLOW_PRIVATE_NETWORKS: 'on' }
      accepting = await spawnService({ ...env, ROLE: 'api' })
      client = relayClient(() => accepting.url)
      await registerRelay(client, { sink: { url: receiver.url, batch: true, batch_size: 25 } })
      delivering = await spawnService({ ...env, ROLE: 'relay' })
    })
    after(async () => {
      await accepting.terminate()
      await delivering.terminate()
      await receiver.close()
      await home.remove()
    })

    it(`has all of ${EVENTS} events in backoff attempted within 5 s, each once`, async () => {
      // Of users of their own, so that none waits for another.
      expect((await client.call('POST', '/v1/batch', { source: 'web', events: IDS.map((id) => ({ type: 'page', name: 'Home', message_id: id, user_id: id })) })).status).to.equal(202)
      await until(() => receiver.requests.length > 0, 'the first attempts', 15_000)
      await new Promise((resolve) => setTimeout(resolve, 1500))
      const before = receiver.requests.length
      const askedAt = Date.now()
      expect((await client.call('POST', '/v1/flush')).status).to.equal(202)
      const attempted = () => receiver.requests.slice(before).flatMap((request) => request.ids)
      await until(() => attempted().length >= EVENTS, 'the attempts of the flush')
      await until(() => attempted().length > 0 && Date.now() - askedAt > 2500)
      const firstAt = receiver.requests[before]?.at as number
      expect(firstAt - askedAt, 'the first attempt after the flush').to.be.lessThan(1000)
      expect(attempted().toSorted()).to.deep.equal(IDS.toSorted())
      receiver.answer = () => 200
      await client.call('POST', '/v1/flush?wait=5s')
      await until(() => receiver.taken().length === EVENTS, 'the deliveries')
      expect(receiver.taken().toSorted(), 'each delivered once').to.deep.equal(IDS.toSorted())
    })

    it('waits for the other process when it is asked to', async () => {
      await client.call('POST', '/v1/batch', pages(['w1', 'w2']))
      const { body } = await client.call('POST', '/v1/flush?wait=10s')
      expect(body).to.include({ pending: 0 })
      expect(receiver.taken()).to.include.members(['w1', 'w2'])
    })
  })
})
