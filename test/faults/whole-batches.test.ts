import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { amount } from '../support/amount.ts'
import { onEachEngine } from '../support/database.ts'
import { pages } from '../support/relay-client.ts'
import { startRelayUnderTest } from '../support/relay-under-test.ts'
import { storedMessageIds } from '../support/stored-events.ts'
import type { RelayUnderTest } from '../support/relay-under-test.ts'

const KILLS = amount('R11_KILLS', 3, 100)
const SENDERS = 3
// Large, so that a kill is likely to come while one is being written.
const PER_BATCH = 200

onEachEngine((engine) => {
  describe('batches during kill -9', function () {
    this.timeout(60_000 + KILLS * 10_000)
    let relay: RelayUnderTest
    before(async () => {
      relay = await startRelayUnderTest(engine, { settings: { batch: true, batch_size: 500 } })
    })
    after(() => relay.close())

    it(`are stored whole or not at all over ${KILLS} kills, and whole when they were acknowledged`, async () => {
      const acknowledged = new Set<string>()
      const load = relay.load(SENDERS, async (sender, n) => {
        const batch = `${sender}-${n}`
        const { status } = await relay.client.call('POST', '/v1/batch', pages(Array.from({ length: PER_BATCH }, (_, item) => `${batch}/${item}`)))
        if (status === 202) acknowledged.add(batch)
        else await sleep(20)
      })
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(150 + Math.random() * 250)
        await relay.service.kill()
        await relay.restart()
      }
      await load.stop()
      const stored = new Map<string, number>()
      for (const id of await storedMessageIds(relay.relayDb().knex)) {
        const [batch] = id.split('/') as [string]
        stored.set(batch, (stored.get(batch) ?? 0) + 1)
      }
      expect([...stored].filter(([, count]) => count !== PER_BATCH), 'stored in part').to.deep.equal([])
      expect([...acknowledged].filter((batch) => !stored.has(batch)), 'acknowledged and not stored').to.deep.equal([])
      expect(acknowledged.size).to.be.greaterThan(KILLS)
    })
  })
})
