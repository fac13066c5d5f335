import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { until } from '../relay/support/relay-database.ts'
import { amount } from '../support/amount.ts'
import { onEachEngine } from '../support/database.ts'
import { spawnService } from '../support/process.ts'
import type { ServiceProcess } from '../support/process.ts'
import { pages } from '../support/relay-client.ts'
import { sendUntilAccepted, startRelayUnderTest } from '../support/relay-under-test.ts'
import type { RelayUnderTest } from '../support/relay-under-test.ts'

const EVENTS = amount('R4_EVENTS', 5000, 5000)
const STOPS = amount('R4_STOPS', 1, 20)
const PER_BATCH = 500
const LEASE_MS = 10_000
const TAKEN_OVER_WITHIN_MS = LEASE_MS + 5000

onEachEngine((engine) => {
  describe('two processes that deliver to one destination', function () {
    this.timeout(120_000 + STOPS * 60_000)
    let relay: RelayUnderTest
    let other: ServiceProcess
    let overlaps = 0
    const underWay = new Set<string>()

    before(async () => {
      relay = await startRelayUnderTest(engine, { settings: { batch: true, batch_size: 50 } })
      relay.receiver.answer = async ({ ids }) => {
        overlaps += ids.filter((id) => underWay.has(id)).length
        for (const id of ids) underWay.add(id)
        await sleep(5)
        for (const id of ids) underWay.delete(id)
        return 200
      }
      other = await spawnService(relay.env)
    })
    after(async () => {
      await other.terminate()
      await relay.close()
    })

    const usersOwn = (ids: string[]) => ({ source: 'web', events: ids.map((id) => ({ type: 'page', name: 'Home', message_id: id, user_id: id })) })

    it(`never deliver one of ${EVENTS} events at the same time, nor one of them twice`, async () => {
      const ids = Array.from({ length: EVENTS }, (_, n) => `m${n}`)
      for (let at = 0; at < EVENTS; at += PER_BATCH) await sendUntilAccepted(relay, '/v1/batch', usersOwn(ids.slice(at, at + PER_BATCH)))
      await until(() => relay.receiver.taken().length >= EVENTS, 'the deliveries', 60_000)
      await until(async () => (await relay.counts()).delivered >= EVENTS, 'the counts', 20_000)
      expect(overlaps, 'events in two requests at once').to.equal(0)
      expect(relay.receiver.taken()).to.have.length(EVENTS)
      expect(await relay.counts()).to.deep.equal({ accepted: EVENTS, delivered: EVENTS, dead: 0 })
    })

    it(`take over from one that sleeps past its lease, ${STOPS} times, and refuse its late word`, async () => {
      const { accepted: before } = await relay.counts()
      // Who delivers is told by who still does when the other is asleep; the process that accepts must be awake.
      const tokenOf = async () => (await relay.relayDb().knex('relay_cursors').first<{ lease_token: string | null }>('lease_token')).lease_token
      let awake = other
      const holder = { at: relay.service }
      for (let stop = 0; stop < STOPS; stop++) {
        const token = await tokenOf()
        expect(token).to.be.a('string')
        // Requests are under way in the sleeper: their answers wait in its sockets until it thaws.
        const slow = relay.receiver.answer
        relay.receiver.answer = async () => (await sleep(300), 200)
        const client = relay.client
        await client.call('POST', '/v1/batch', pages([`s${stop}-0`, `s${stop}-1`]))
        await sleep(150)
        holder.at.child.kill('SIGSTOP')
        const stoppedAt = Date.now()
        relay.receiver.answer = slow
        const isTakenOver = () => tokenOf().then((now) => now !== null && now !== token)
        await until(isTakenOver, 'the take-over', TAKEN_OVER_WITHIN_MS).catch((error: unknown) => {
          holder.at.child.kill('SIGCONT')
          throw error
        })
        expect(Date.now() - stoppedAt).to.be.lessThan(TAKEN_OVER_WITHIN_MS)
        const sleeper = holder.at
        const isDelivered = async () => (await relay.counts()).delivered >= before + (stop + 1) * 2
        await until(isDelivered, 'the delivery by the other', 10_000)
        sleeper.child.kill('SIGCONT')
        await sleep(1500)
        expect(await tokenOf(), 'the lease after the thaw').to.not.equal(token)
        holder.at = awake
        awake = sleeper
        relay.service = awake
        other = holder.at
      }
      // A late settlement that got through would have counted its events a second time.
      const { accepted, delivered, dead } = await relay.counts()
      expect({ accepted, delivered, dead }).to.deep.equal({ accepted: before + STOPS * 2, delivered: before + STOPS * 2, dead: 0 })
    })
  })
})
