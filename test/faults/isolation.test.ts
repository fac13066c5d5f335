import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Receiver } from '../relay/support/receiver.ts'
import { until } from '../relay/support/relay-database.ts'
import { amount } from '../support/amount.ts'
import { onEachEngine } from '../support/database.ts'
import { startRelayUnderTest } from '../support/relay-under-test.ts'
import type { RelayUnderTest } from '../support/relay-under-test.ts'

const HANG_SECONDS = amount('R7_HANG_SECONDS', 4, 30)
const WINDOW_MS = 1500
const WINDOWS = 3
const PACE_MS = 15
// What a healthy receiver takes for itself, beside which the noise of a busy machine is small.
const ANSWER_MS = 60
const MAX_GROWTH_MB = 100

interface Delivery {
  destination: string
  state: string
  reason: string | null
  backlog: number
}

onEachEngine((engine) => {
  describe('a destination that hangs, one that answers 500, one that answers 401 and a healthy one', function () {
    this.timeout(90_000 + HANG_SECONDS * 4000)
    let relay: RelayUnderTest
    let others: Record<'hanging' | 'failing' | 'refusing', Receiver>
    const sentAt = new Map<string, number>()
    let latencies: number[] = []

    before(async () => {
      others = { hanging: await startReceiver(), failing: await startReceiver(), refusing: await startReceiver() }
      relay = await startRelayUnderTest(engine, {
        async answer({ ids }) {
          await sleep(ANSWER_MS)
          for (const id of ids) latencies.push(Date.now() - (sentAt.get(id) as number))
          return 200
        },
        settings: { batch: true, batch_size: 20 },
        more: Object.fromEntries(Object.entries(others).map(([name, { url }]) => [name, { url, batch: true, batch_size: 20, timeout: `${HANG_SECONDS}s` }])),
      })
    })
    after(async () => {
      await relay.close()
      for (const receiver of Object.values(others)) await receiver.close()
    })

    /** Sends at a steady pace. @returns the 99th percentile from sending to the healthy receiver's answer */
    async function p99During(ms: number): Promise<number> {
      latencies = []
      const before = sentAt.size
      for (const end = Date.now() + ms; Date.now() < end; await sleep(PACE_MS)) {
        const id = `m${sentAt.size}`
        sentAt.set(id, Date.now())
        expect((await relay.client.call('POST', '/v1/page', { source: 'web', name: 'Home', message_id: id, user_id: id })).status).to.equal(202)
      }
      const sent = sentAt.size - before
      await until(() => latencies.length >= sent, 'the deliveries to the healthy one')
      return latencies.toSorted((a, b) => a - b)[Math.floor(sent * 0.99)] as number
    }

    /** The quietest of several windows: what slows the relay itself is in all of them, what slows the machine is not. */
    async function quietestP99(windows: number): Promise<number> {
      let quietest = Infinity
      for (let window = 0; window < windows; window++) quietest = Math.min(quietest, await p99During(WINDOW_MS))
      return quietest
    }

    async function deliveries(): Promise<Map<string, Delivery>> {
      return new Map(((await relay.client.call('GET', '/v1/admin/deliveries')).body as Delivery[]).map((delivery) => [delivery.destination, delivery]))
    }

    async function residentMb(): Promise<number> {
      return Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${relay.service.child.pid}/status`, 'utf8'))?.[1]) / 1024
    }

    it(`do not slow the healthy one (${HANG_SECONDS} s), lose nothing, and recover by themselves or by one call`, async () => {
      const baseline = await quietestP99(WINDOWS)
      const residentBefore = await residentMb()

      others.hanging.answer = () => 'hang'
      others.failing.answer = () => 500
      others.refusing.answer = () => ({ status: 401, body: 'the key was revoked' })
      const disturbed = await quietestP99(Math.max(WINDOWS, Math.ceil(((HANG_SECONDS + 1) * 1000) / WINDOW_MS)))
      expect(disturbed, `ms; ${baseline} ms before`).to.be.lessThan(baseline * 2)
      expect((await residentMb()) - residentBefore, 'MB of growth').to.be.lessThan(MAX_GROWTH_MB)

      const shown = await deliveries()
      expect(shown.get('sink')).to.include({ state: 'running' })
      for (const name of ['hanging', 'failing']) expect(shown.get(name), name).to.include({ state: 'retrying' })
      expect(shown.get('refusing')).to.include({ state: 'paused' })
      expect(shown.get('refusing')?.reason).to.contain('401').and.to.contain('the key was revoked')

      for (const receiver of Object.values(others)) receiver.answer = () => 200
      expect((await relay.client.call('POST', '/v1/admin/destinations/refusing/resume')).status).to.equal(200)
      for (const [name, receiver] of Object.entries(others)) {
        await until(() => new Set(receiver.taken()).size === sentAt.size, `what waited for the ${name} one`, HANG_SECONDS * 1000 + 40_000)
      }
      expect(new Set(relay.receiver.taken()).size).to.equal(sentAt.size)
      await until(async () => [...(await deliveries()).values()].every(({ state, backlog }) => state === 'running' && backlog === 0), 'all running with nothing left')
      expect(await relay.counts()).to.deep.equal({ accepted: sentAt.size * 4, delivered: sentAt.size * 4, dead: 0 })
    })
  })
})
