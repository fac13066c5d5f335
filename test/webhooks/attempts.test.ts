import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/duration.ts'
import { listWebhookAttempts } from '../../src/store/webhook-attempts.ts'
import { pruneDeliveries } from '../../src/store/webhook-deliveries.ts'
import { findWebhook } from '../../src/store/webhooks.ts'
import { switchOff, switchOn } from '../../src/webhooks/switch.ts'
import { eventually } from '../admin/support/eventually.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Answer, Receiver } from '../relay/support/receiver.ts'
import { onEachEngine } from '../support/database.ts'
import { NOON, openOutbox } from './outbox.ts'
import type { Outbox } from './outbox.ts'

const WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]
// What an answer costs on the clock that stands still otherwise.
const ANSWER_MS = 7

/** What receivers answer, always the same. */
const ANSWERS: Record<string, Answer> = {
  200: { status: 200, body: 'taken' },
  204: 204,
  301: { status: 301, headers: { Location: 'http://127.0.0.1:9/' }, body: 'over there' },
  400: 400,
  401: 401,
  404: { status: 404, body: 'x'.repeat(5000) },
  408: 408,
  410: { status: 410, body: 'gone' },
  413: 413,
  429: 429,
  '429 with Retry-After in seconds': { status: 429, headers: { 'Retry-After': '1' } },
  '429 with Retry-After as a date': { status: 429, headers: { 'Retry-After': new Date(NOON + HOUR).toUTCString() } },
  500: { status: 500, body: 'sorry: äöü' },
  503: 503,
  'a reset': 'reset',
}

/** Status, and the beginning of the body, that the log must show. */
function logged(answer: Answer): { status: number; answer: string } {
  if (answer === 'reset') return { status: 0, answer: '' }
  if (typeof answer === 'number') return { status: answer, answer: '' }
  return { status: (answer as { status: number }).status, answer: ((answer as { body?: string }).body ?? '').slice(0, 4096) }
}

onEachEngine((engine) => {
  describe('the attempts at a webhook', function () {
    this.timeout(120_000)
    let outbox: Outbox
    let receivers: Receiver[]

    beforeEach(async () => {
      outbox = await openOutbox(engine)
      receivers = []
    })
    afterEach(async () => {
      for (const receiver of receivers) await receiver.close()
      await outbox.close()
    })

    /** Waits until nothing is due and nothing is under way. */
    const settled = (dispatcher: { wake(): void }) =>
      eventually('everything that was due is settled', async () => {
        dispatcher.wake()
        return (await outbox.rows()).every((row) => row.next_attempt_at === null || (row.lease_token === null && row.next_attempt_at > outbox.clock.now))
      }, 30_000)

    it('follow the schedule for each answer, and each is stored with status, duration, error and answer', async () => {
      const deliveryIds: number[] = []
      for (const answer of Object.values(ANSWERS)) {
        const receiver = await startReceiver(() => answer)
        receivers.push(receiver)
        await outbox.addWebhook(receiver.url)
      }
      await outbox.announce()
      deliveryIds.push(...(await outbox.rows()).map(({ id }) => id))
      // All attempts of a round begin before the clock moves, and end after it did.
      let clockMoved = Promise.withResolvers<void>()
      const dispatcher = outbox.startDispatcher((real) => async (request, signal) => {
        const answer = await real(request, signal)
        await clockMoved.promise
        return answer
      })
      let due = NOON
      const times: number[] = []
      for (const waitMs of [...WAITS_MS, undefined]) {
        times.push(due)
        outbox.clock.now = due
        const before = receivers.map(({ requests }) => requests.length)
        dispatcher.wake()
        await eventually('those that fail are tried', () => receivers.every(({ requests }, index) => requests.length > (before[index] as number) || isOver(index, before[index] as number)), 30_000)
        outbox.clock.now = due + ANSWER_MS
        clockMoved.resolve()
        await settled(dispatcher)
        clockMoved = Promise.withResolvers()
        due += ANSWER_MS + (waitMs ?? 0)
      }
      outbox.clock.now += 2 * DAY
      dispatcher.wake()
      await sleep(300)

      const attempts = await listWebhookAttempts(outbox.db.knex, deliveryIds)
      const rows = await outbox.rows()
      for (const [index, [name, answer]] of Object.entries(ANSWERS).entries()) {
        const { status, answer: text } = logged(answer)
        const isSuccess = status >= 200 && status < 300
        const expected = isSuccess || status === 410 ? 1 : 8
        const stored = attempts.get(deliveryIds[index] as number) ?? []
        expect(stored.map(({ at }) => at), name).to.deep.equal(times.slice(0, expected))
        expect(receivers[index]?.requests, name).to.have.length(expected)
        for (const attempt of stored) {
          expect(attempt, name).to.include({ status, durationMs: ANSWER_MS, answer: text })
          if (isSuccess) expect(attempt.error, name).to.equal(undefined)
          else if (status === 0) expect(attempt.error, name).to.match(/ECONNRESET|hang up/)
          else expect(attempt.error, name).to.equal(`HTTP ${status}`)
        }
        expect(rows[index], name).to.include({ outcome: isSuccess ? 'delivered' : 'failed', next_attempt_at: null })
      }
    })

    /** Whether a receiver that was asked so often is asked no more. */
    function isOver(index: number, asked: number): boolean {
      const { status } = logged(Object.values(ANSWERS)[index] as Answer)
      return asked > 0 && ((status >= 200 && status < 300) || status === 410)
    }

    it('of a settled delivery are deleted with it, 30 days later, and those of others stay', async () => {
      const receiver = await startReceiver((_request, index) => (index === 0 ? 200 : 500))
      receivers.push(receiver)
      await outbox.addWebhook(receiver.url)
      const dispatcher = outbox.startDispatcher()
      for (let count = 0; count < 2; count++) {
        await outbox.announce()
        await eventually('it is attempted', () => (dispatcher.wake(), receiver.requests.length > count))
        await settled(dispatcher)
      }
      const [delivered, pending] = (await outbox.rows()).map(({ id }) => id) as [number, number]
      expect(await pruneDeliveries(outbox.db.knex, NOON)).to.equal(0)
      expect(await pruneDeliveries(outbox.db.knex, NOON + 1)).to.equal(1)
      expect((await outbox.rows()).map(({ id }) => id)).to.deep.equal([pending])
      const left = await listWebhookAttempts(outbox.db.knex, [delivered, pending])
      expect([left.get(delivered)?.length, left.get(pending)?.length]).to.deep.equal([0, 1])
    })

    it('that fail count anew once the webhook was disabled after 120 hours and enabled again', async () => {
      const deps = { db: outbox.db, now: () => outbox.clock.now }
      const receiver = await startReceiver(() => 500)
      receivers.push(receiver)
      const { id } = await outbox.addWebhook(receiver.url)
      const dispatcher = outbox.startDispatcher()
      const failAt = async (at: number) => {
        outbox.clock.now = at
        const count = receiver.requests.length
        await outbox.announce()
        await eventually('it is attempted', () => (dispatcher.wake(), receiver.requests.length > count))
        await settled(dispatcher)
        return findWebhook(outbox.db.knex, id)
      }
      expect(await failAt(NOON)).to.include({ failingSince: NOON, disabledAt: undefined })
      expect(await failAt(NOON + 120 * HOUR - MINUTE)).to.include({ failingSince: NOON, disabledAt: undefined })
      await failAt(NOON + 120 * HOUR)
      await eventually('it is disabled', async () => (await findWebhook(outbox.db.knex, id))?.disabledReason === 'every attempt failed for 120 hours')
      expect(await switchOn(deps, { name: 'root' }, id)).to.include({ disabledAt: undefined, disabledReason: undefined, failingSince: undefined })
      expect(await failAt(NOON + 121 * HOUR)).to.include({ failingSince: NOON + 121 * HOUR, disabledAt: undefined })
      await switchOff(deps, { name: 'root' }, { id, reason: undefined })
      expect(await outbox.auditActions()).to.deep.equal(['created', 'disabled', 'enabled', 'disabled'])
    })

    it('that hang are given up when the process stops, and begun anew by the next one', async () => {
      const receiver = await startReceiver((_request, index) => (index === 0 ? 'hang' : 200))
      receivers.push(receiver)
      await outbox.addWebhook(receiver.url)
      await outbox.announce()
      const stopping = outbox.startDispatcher()
      await eventually('it hangs', () => receiver.requests.length === 1)
      const startedAt = Date.now()
      await stopping.stop()
      expect(Date.now() - startedAt).to.be.within(4000, 8000)
      expect(await outbox.rows()).to.deep.include.members([{ ...(await outbox.rows())[0], attempts: 0, outcome: null, lease_token: null, next_attempt_at: NOON }])
      const next = outbox.startDispatcher()
      await eventually('it is sent again', () => receiver.requests.length === 2)
      await settled(next)
      expect((await outbox.rows())[0]).to.include({ outcome: 'delivered', attempts: 1 })
    })
  })
})
