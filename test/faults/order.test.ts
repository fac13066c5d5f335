import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { until } from '../relay/support/relay-database.ts'
import { amount } from '../support/amount.ts'
import { onEachEngine } from '../support/database.ts'
import { sendUntilAccepted, startRelayUnderTest } from '../support/relay-under-test.ts'
import type { RelayUnderTest } from '../support/relay-under-test.ts'

const USERS = 10
const EVENTS = amount('R12_EVENTS', 200, 1000)
const KILLS = amount('R12_KILLS', 2, 5)
const PER_BATCH = 10

onEachEngine((engine) => {
  describe('the events of a user', function () {
    this.timeout(120_000 + KILLS * 15_000 + EVENTS * 100)
    let relay: RelayUnderTest
    before(async () => {
      // A fifth fails, half of that for one moment and half until told otherwise a little later.
      relay = await startRelayUnderTest(engine, {
        answer: () => (Math.random() < 0.2 ? { status: 503, headers: { 'retry-after': '0' } } : 200),
        settings: { batch: true, batch_size: 20 },
      })
    })
    after(() => relay.close())

    it(`arrive in order, ${USERS} users with ${EVENTS} each, through ${KILLS} kills and a fifth of the deliveries failing`, async () => {
      const sending = Array.from({ length: USERS }, async (_, user) => {
        for (let n = 0; n < EVENTS; n += PER_BATCH) {
          const events = Array.from({ length: PER_BATCH }, (_each, k) => ({ type: 'page', name: 'Home', user_id: `u${user}`, message_id: `${user}-${n + k}` }))
          await sendUntilAccepted(relay, '/v1/batch', { source: 'web', events })
        }
      })
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(400 + Math.random() * 400)
        await relay.service.kill()
        await relay.restart()
      }
      await Promise.all(sending)
      await until(() => new Set(relay.receiver.taken()).size === USERS * EVENTS, 'the deliveries', 100_000)
      const inversions: string[] = []
      const last = new Map<string, number>()
      // A crash may repeat events; what counts is when each arrived for the first time.
      for (const id of new Set(relay.receiver.taken())) {
        const [user, n] = id.split('-') as [string, string]
        if (Number(n) !== (last.get(user) ?? -1) + 1) inversions.push(id)
        last.set(user, Number(n))
      }
      expect(inversions).to.deep.equal([])
    })
  })
})
