import { expect } from 'chai'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Receiver } from '../relay/support/receiver.ts'
import { amount } from '../support/amount.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { spawnService } from '../support/process.ts'
import type { ServiceProcess } from '../support/process.ts'

const WEBHOOKS = 10
const PUBLICATIONS = amount('W6_PUBLICATIONS', 300, 1000)
const WARM_UP = 50

onEachEngine((engine) => {
  describe('webhooks whose receivers hang', function () {
    this.timeout(120_000)
    const homes: TestDatabase[] = []
    const services: ServiceProcess[] = []
    let receiver: Receiver

    before(async () => {
      receiver = await startReceiver(() => 'hang')
    })
    after(async () => {
      await receiver.close()
      for (const service of services) await service.terminate()
      for (const home of homes) await home.remove()
    })

    /** A service of its own with so many webhooks. @returns how to publish, which says how many milliseconds that took */
    const startWith = async (webhooks: number): Promise<(name: string) => Promise<number>> => {
      const home = await createTestDatabase(engine)
      homes.push(home)
      const service = await spawnService({ DATABASE_URL: home.url, ALLOW_PRIVATE_NETWORKS: 'on' })
      services.push(service)
      const post = async (path: string, body: object, key?: string) => {
        const answer = await fetch(service.url + path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...(key ? { Authorization: `Bearer ${key}` } : {}) }, body: JSON.stringify(body) })
        expect(answer.status, path).to.equal(201)
        return (await answer.json()) as { key: string }
      }
      const { key } = await post('/v1/admin/keys', { role: 'admin' })
      for (let count = 0; count < webhooks; count++) await post('/v1/webhooks', { url: receiver.url }, key)
      return async (name) => {
        const startedAt = performance.now()
        await post('/v1/events', { namespace: 'shop', name, properties: { total: { type: 'number' } } }, key)
        return performance.now() - startedAt
      }
    }

    it(`leave the p95 of publications under one and a half times what it is without them, ${WEBHOOKS} of them`, async () => {
      const [alone, beside] = [await startWith(0), await startWith(WEBHOOKS)]
      const times = { alone: [] as number[], beside: [] as number[] }
      for (let n = 0; n < WARM_UP + PUBLICATIONS; n++) {
        // In turn, and the first of them in turn as well: what else the machine does falls on both alike.
        const measured: [keyof typeof times, (name: string) => Promise<number>][] = [['alone', alone], ['beside', beside]]
        for (const [which, publish] of n % 2 === 0 ? measured : measured.toReversed()) {
          const ms = await publish(`event_${n}`)
          if (n >= WARM_UP) times[which].push(ms)
        }
      }
      // Every one of them holds an attempt open, and none was answered.
      expect(receiver.requests.length).to.be.at.least(WEBHOOKS)
      expect(p95(times.beside) / p95(times.alone)).to.be.lessThan(1.5)
    })
  })
})

function p95(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] as number
}
