import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { eventually } from '../admin/support/eventually.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Receiver } from '../relay/support/receiver.ts'
import { amount } from '../support/amount.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { spawnService } from '../support/process.ts'
import type { ServiceProcess } from '../support/process.ts'

const KILLS = amount('W1_KILLS', 3, 100)
const PUBLISHERS = 4
// The leases of the process that was killed last run out after 30 s, and a failed attempt is repeated after 5 s.
const DRAIN_MS = 120_000

interface Published {
  namespace: string
  name: string
  version: string
}

const label = ({ namespace, name, version }: Published) => `${namespace}/${name}@${version}`

onEachEngine((engine) => {
  describe('kill -9 during publications', function () {
    this.timeout(DRAIN_MS + 60_000 + KILLS * 20_000)
    const env = { ALLOW_PRIVATE_NETWORKS: 'on' }
    let home: TestDatabase
    let receivers: Receiver[]
    let service: ServiceProcess
    let key: string
    let acknowledged = 0

    before(async () => {
      home = await createTestDatabase(engine)
      const seen = new Set<string>()
      receivers = [
        await startReceiver(),
        // Fails a tenth of what it hears of for the first time.
        await startReceiver(({ headers }) => {
          const id = headers['webhook-id'] as string
          const isNew = !seen.has(id)
          seen.add(id)
          return isNew && Math.random() < 0.1 ? 503 : 200
        }),
      ]
    })
    after(async () => {
      await service.terminate()
      for (const receiver of receivers) await receiver.close()
      await home.remove()
    })

    const call = async (method: string, path: string, body?: object) => {
      const answer = await fetch(service.url + path, {
        method,
        headers: { 'Content-Type': 'application/json', ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: answer.status, body: await answer.json(), link: answer.headers.get('link') }
    }

    /** Publishes without pause, each event twice, and counts the answers of 201. */
    const publishUntil = async (isOver: () => boolean, publisher: number): Promise<void> => {
      for (let n = 0; !isOver(); n++) {
        const spec = { namespace: 'shop', name: `event_${publisher}_${n >> 1}`, version: `1-${n & 1}-0`, properties: n & 1 ? { note: { type: 'string' } } : {} }
        try {
          if ((await call('POST', '/v1/events', spec)).status === 201) acknowledged += 1
        } catch {
          // The process is dead or starting: whether this one was stored is what the end of the test asks.
          await sleep(20)
        }
      }
    }

    const stored = async (): Promise<Set<string>> => {
      const found = new Set<string>()
      for (let path: string | undefined = '/v1/events?limit=1000'; path !== undefined; ) {
        const { body, link } = await call('GET', path)
        for (const each of body as Published[]) found.add(label(each))
        path = /^<(.+)>; rel="next"$/.exec(link ?? '')?.[1]
      }
      return found
    }
    const told = (receiver: Receiver) => new Set(receiver.requests.map(({ body }) => label((JSON.parse(body) as { event: Published }).event)))
    const less = (all: Set<string>, without: Set<string>) => [...all].filter((each) => !without.has(each))

    it(`tells every webhook of each stored version and of no other, over ${KILLS} kills`, async () => {
      service = await spawnService({ ...env, DATABASE_URL: home.url })
      key = ((await call('POST', '/v1/admin/keys', { role: 'admin' })).body as { key: string }).key
      for (const { url } of receivers) expect((await call('POST', '/v1/webhooks', { url })).status).to.equal(201)

      let over = false
      const publishers = Array.from({ length: PUBLISHERS }, (_, publisher) => publishUntil(() => over, publisher))
      for (let kill = 0; kill < KILLS; kill++) {
        // Some publications into its life, and then anywhere inside the next ones.
        const enough = acknowledged + randomInt(4, 40)
        await eventually('the load runs', () => acknowledged >= enough, 60_000)
        await sleep(randomInt(50))
        await service.kill()
        service = await spawnService({ ...env, DATABASE_URL: home.url })
      }
      over = true
      await Promise.all(publishers)

      const versions = await stored()
      expect(acknowledged, 'the load itself').to.be.at.least(KILLS * 4)
      expect(versions.size).to.be.at.least(acknowledged)
      await eventually('every webhook is told of every version', () => receivers.every((receiver) => less(versions, told(receiver)).length === 0), DRAIN_MS).catch(() => undefined)
      for (const receiver of receivers) {
        expect(less(versions, told(receiver)), `stored and not told, of ${versions.size}`).to.deep.equal([])
        expect(less(told(receiver), versions), 'told and not stored').to.deep.equal([])
      }
    })
  })
})
