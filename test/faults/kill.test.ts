import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { spawnService } from '../support/process.ts'
import type { ServiceProcess } from '../support/process.ts'
import { startFlakyReceiver } from '../support/receiver.ts'
import type { FlakyReceiver } from '../support/receiver.ts'

const KILLS = Number(process.env['KILLS'] ?? 20)
const SENDERS = 8
const DRAIN_MS = 60_000

/** Sends single and batch calls without pause until told to stop, and notes what was answered with 202. */
async function sendUntil(isOver: () => boolean, url: () => string, key: string, sender: number, acknowledged: Set<string>): Promise<void> {
  for (let n = 0; !isOver(); n++) {
    const ids = n % 3 === 0 ? [0, 1, 2, 3, 4].map((item) => `${sender}-${n}-${item}`) : [`${sender}-${n}`]
    const items = ids.map((id) => ({ type: 'page', name: 'Home', message_id: id }))
    const [path, body] = ids.length > 1 ? ['/v1/batch', { source: 'web', events: items }] : ['/v1/page', { source: 'web', ...items[0] }]
    try {
      const answer = await fetch(url() + path, { method: 'POST', headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
      await answer.arrayBuffer()
      if (answer.status === 202) for (const id of ids) acknowledged.add(id)
    } catch {
      // The process is dead or starting: nothing was promised for these.
      await sleep(20)
    }
  }
}

onEachEngine((engine) => {
  describe('kill -9 during load', function () {
    this.timeout(240_000)
    let home: TestDatabase
    let receiver: FlakyReceiver
    let service: ServiceProcess

    before(async () => {
      home = await createTestDatabase(engine)
      receiver = await startFlakyReceiver(0.1)
    })
    after(async () => {
      await service.terminate()
      await receiver.close()
      await home.remove()
    })

    it(`loses no acknowledged event over ${KILLS} kills, with a tenth of the deliveries failing`, async () => {
      const env = { DATABASE_URL: home.url, ALLOW_PRIVATE_NETWORKS: 'on' }
      service = await spawnService(env)
      const post = async (path: string, body: object, key?: string) => {
        const answer = await fetch(service.url + path, { method: 'POST', headers: { 'Content-Type': 'application/json', ...(key ? { Authorization: `Bearer ${key}` } : {}) }, body: JSON.stringify(body) })
        expect(answer.status, path).to.equal(201)
        return (await answer.json()) as { key: string }
      }
      const { key } = await post('/v1/admin/keys', { role: 'admin' })
      await post('/v1/admin/destinations', { name: 'sink', provider: 'http', config: { url: receiver.url, batch: true, batch_size: 50 } }, key)
      await post('/v1/admin/sources', { name: 'web', destinations: ['sink'] }, key)

      const acknowledged = new Set<string>()
      let over = false
      const senders = Array.from({ length: SENDERS }, (_, sender) => sendUntil(() => over, () => service.url, key, sender, acknowledged))
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(100 + Math.random() * 300)
        await service.kill()
        service = await spawnService(env)
      }
      await sleep(300)
      over = true
      await Promise.all(senders)

      const missing = () => [...acknowledged].filter((id) => !receiver.messageIds.has(id))
      for (const deadline = Date.now() + DRAIN_MS; missing().length > 0 && Date.now() < deadline; ) await sleep(100)
      expect(acknowledged.size, 'the load itself').to.be.greaterThan(KILLS * 10)
      expect(missing(), `of ${acknowledged.size} acknowledged events`).to.deep.equal([])
    })
  })
})
