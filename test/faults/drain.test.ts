import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { until } from '../relay/support/relay-database.ts'
import { amount } from '../support/amount.ts'
import { onEachEngine } from '../support/database.ts'
import { startRelayUnderTest } from '../support/relay-under-test.ts'
import { storedMessageIds } from '../support/stored-events.ts'
import type { RelayUnderTest } from '../support/relay-under-test.ts'

const TERMS = amount('R9_TERMS', 3, 20)
const SENDERS = 8

onEachEngine((engine) => {
  describe('SIGTERM under load', function () {
    this.timeout(60_000 + TERMS * 15_000)
    let relay: RelayUnderTest
    before(async () => {
      relay = await startRelayUnderTest(engine, { answer: async () => (await sleep(20), 200), settings: { batch: true, batch_size: 50 } })
    })
    after(() => relay.close())

    it(`cuts no accepted request and ends with 0 within 10 s, ${TERMS} times`, async () => {
      const acknowledged = new Set<string>()
      const statuses = new Set<number>()
      const load = relay.load(SENDERS, async (sender, n) => {
        const id = `${sender}-${n}`
        const { status } = await relay.client.call('POST', '/v1/page', { source: 'web', name: 'Home', message_id: id, user_id: id })
        statuses.add(status)
        if (status === 202) acknowledged.add(id)
        // Nobody listens while it starts.
        else await sleep(20)
      })
      const took: number[] = []
      for (let term = 0; term < TERMS; term++) {
        await sleep(400 + Math.random() * 300)
        const askedAt = Date.now()
        expect(await relay.service.terminate(), relay.service.output()).to.equal(0)
        took.push(Date.now() - askedAt)
        await relay.restart()
      }
      await sleep(200)
      await load.stop()
      expect(Math.max(...took), `ms to end: ${took.join(', ')}`).to.be.lessThan(10_000)
      const stored = await storedMessageIds(relay.relayDb().knex)
      expect(stored.filter((id) => !acknowledged.has(id)), 'stored, and cut before the answer').to.deep.equal([])
      // 0 stands for a connection refused between the end and the start; 503 is what is said while it stops.
      expect([...statuses].filter((status) => ![0, 202, 503].includes(status))).to.deep.equal([])
      await until(() => acknowledged.size <= new Set(relay.receiver.taken()).size, 'the deliveries', 30_000)
      const taken = new Set(relay.receiver.taken())
      expect([...acknowledged].filter((id) => !taken.has(id))).to.deep.equal([])
      expect(acknowledged.size).to.be.greaterThan(TERMS * 20)
      expect(relay.receiver.taken(), 'what is in flight is settled before the end, so nothing is sent twice').to.have.length(taken.size)
    })
  })
})
