import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { Webhook as Verifier } from 'standardwebhooks'
import { HOUR, MINUTE, SECOND } from '../../src/duration.ts'
import { claimDueDeliveries, settleDelivery } from '../../src/store/webhook-deliveries.ts'
import { findWebhook } from '../../src/store/webhooks.ts'
import { removeWebhook } from '../../src/webhooks/webhooks.ts'
import type { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { eventually } from '../admin/support/eventually.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Answer, Receiver } from '../relay/support/receiver.ts'
import { onEachEngine } from '../support/database.ts'
import { NOON, openOutbox } from './outbox.ts'
import type { DeliveryRow, Outbox } from './outbox.ts'

const WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]
// A dispatcher that finds something due soon looks again after a tenth of a second.
const A_TURN_MS = 250

onEachEngine((engine) => {
  describe('the dispatcher of webhooks', () => {
    let outbox: Outbox
    let receivers: Receiver[]

    beforeEach(async () => {
      outbox = await openOutbox(engine)
      receivers = []
    })
    afterEach(async () => {
      // First those that hang: a dispatcher waits for its attempts.
      for (const receiver of receivers) await receiver.close()
      await outbox.close()
    })

    const receive = async (answer: Answer | ((index: number) => Answer | Promise<Answer>)): Promise<Receiver> => {
      const receiver = await startReceiver((_request, index) => (typeof answer === 'function' ? answer(index) : answer))
      receivers.push(receiver)
      return receiver
    }
    /** Waits until a receiver got so many requests, waking the dispatcher again and again. */
    const arrives = (receiver: Receiver, count: number, dispatcher: Dispatcher) =>
      eventually(`request ${count} arrives`, () => {
        dispatcher.wake()
        return receiver.requests.length >= count
      })
    /** Waits until no delivery is due and no attempt is under way. */
    const settled = (dispatcher: Dispatcher) =>
      eventually('everything that was due is settled', async () => {
        dispatcher.wake()
        return (await outbox.rows()).every((row) => row.next_attempt_at === null || (row.lease_token === null && row.next_attempt_at > outbox.clock.now))
      })
    const onlyRow = async () => {
      const rows = await outbox.rows()
      expect(rows).to.have.length(1)
      return rows[0] as DeliveryRow
    }

    it('sends an announcement once, and notes the answer', async () => {
      const receiver = await receive(204)
      const { id } = await outbox.addWebhook(receiver.url)
      await outbox.announce()
      const dispatcher = outbox.startDispatcher()
      await arrives(receiver, 1, dispatcher)
      await settled(dispatcher)
      expect(await onlyRow()).to.include({ outcome: 'delivered', attempts: 1, last_status: 204, next_attempt_at: null, last_error: null })
      expect(await findWebhook(outbox.db.knex, id)).to.include({ lastDeliveryAt: NOON, lastDeliveryStatus: 204, failingSince: undefined })
      await sleep(A_TURN_MS)
      expect(receiver.requests).to.have.length(1)
    })

    it('keeps id and body over retries, and signs each attempt anew with its own time', async () => {
      const receiver = await receive((index) => (index === 0 ? 500 : 200))
      // The verifier refuses times that are not near its own clock.
      outbox.clock.now = Date.now()
      const { secret } = await outbox.addWebhook(receiver.url)
      const id = await outbox.announce()
      const dispatcher = outbox.startDispatcher()
      await arrives(receiver, 1, dispatcher)
      await settled(dispatcher)
      outbox.clock.now += 5 * SECOND
      await arrives(receiver, 2, dispatcher)
      const [first, second] = receiver.requests as [Receiver['requests'][0], Receiver['requests'][0]]
      expect(first.headers['webhook-id']).to.equal(id).and.to.equal(second.headers['webhook-id'])
      expect(second.body).to.equal(first.body)
      expect(Number(second.headers['webhook-timestamp']) - Number(first.headers['webhook-timestamp'])).to.equal(5)
      for (const request of [first, second]) expect(() => new Verifier(secret).verify(request.body, request.headers as Record<string, string>)).not.to.throw()
      await settled(dispatcher)
      expect(await onlyRow()).to.include({ outcome: 'delivered', attempts: 2 })
    })

    it('tries a failing receiver eight times at the times of the schedule, and then gives up', async () => {
      const receiver = await receive(503)
      const { id } = await outbox.addWebhook(receiver.url)
      await outbox.announce()
      const dispatcher = outbox.startDispatcher()
      await arrives(receiver, 1, dispatcher)
      for (const [index, waitMs] of WAITS_MS.entries()) {
        await settled(dispatcher)
        expect(await onlyRow()).to.include({ attempts: index + 1, outcome: null, last_status: 503, last_error: 'HTTP 503', next_attempt_at: outbox.clock.now + waitMs })
        outbox.clock.now += waitMs - 1
        dispatcher.wake()
        await sleep(A_TURN_MS)
        expect(receiver.requests, `a millisecond before attempt ${index + 2}`).to.have.length(index + 1)
        outbox.clock.now += 1
        await arrives(receiver, index + 2, dispatcher)
      }
      await settled(dispatcher)
      expect(await onlyRow()).to.include({ attempts: 8, outcome: 'failed', next_attempt_at: null })
      outbox.clock.now += 24 * HOUR
      dispatcher.wake()
      await sleep(A_TURN_MS)
      expect(receiver.requests).to.have.length(8)
      expect((await findWebhook(outbox.db.knex, id))?.disabledAt).to.equal(undefined)
    })

    for (const status of [301, 302, 303, 307, 308]) {
      it(`takes the redirect ${status} for a failure and does not follow it`, async () => {
        const elsewhere = await receive(200)
        const receiver = await receive({ status, headers: { Location: elsewhere.url } })
        await outbox.addWebhook(receiver.url)
        await outbox.announce()
        const dispatcher = outbox.startDispatcher()
        await arrives(receiver, 1, dispatcher)
        await settled(dispatcher)
        expect(await onlyRow()).to.include({ outcome: null, last_status: status, next_attempt_at: NOON + 5 * SECOND })
        expect(elsewhere.requests).to.deep.equal([])
      })
    }

    it('tries a connection that is refused or reset again, and notes why', async () => {
      const reset = await receive('reset')
      const gone = await receive(200)
      await gone.close()
      await outbox.addWebhook(reset.url)
      await outbox.addWebhook(gone.url)
      await outbox.announce()
      const dispatcher = outbox.startDispatcher()
      await arrives(reset, 1, dispatcher)
      await settled(dispatcher)
      for (const row of await outbox.rows()) {
        expect(row).to.include({ outcome: null, attempts: 1, last_status: 0, next_attempt_at: NOON + 5 * SECOND })
        expect(row.last_error).to.match(/ECONNRESET|ECONNREFUSED|hang up/)
      }
    })

    it('tells every webhook, each signed with its own secret', async () => {
      const receiver = await receive(200)
      outbox.clock.now = Date.now()
      const webhooks = [await outbox.addWebhook(`${receiver.url}?1`), await outbox.addWebhook(`${receiver.url}?2`), await outbox.addWebhook(`${receiver.url}?2`)]
      await outbox.announce()
      const dispatcher = outbox.startDispatcher()
      await arrives(receiver, 3, dispatcher)
      const verified = webhooks.map(({ secret }) => receiver.requests.filter(({ body, headers }) => verifies(secret, body, headers as Record<string, string>)).length)
      expect(verified).to.deep.equal([1, 1, 1])
      expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).to.equal(1)
    })

    it('of two processes sends each delivery once, and none at the same time as the other', async function () {
      this.timeout(60_000)
      const sending = new Map<string, number>()
      let overlaps = 0
      const receiver = await receive(async () => {
        await sleep(5)
        return 200
      })
      for (let count = 0; count < 5; count++) await outbox.addWebhook(`${receiver.url}?${count}`)
      for (let count = 0; count < 40; count++) await outbox.announce(`Announcement ${count}.`)
      const dispatchers = [0, 1].map(() =>
        outbox.startDispatcher((real) => async (request, signal) => {
          const key = `${request.url} ${request.headers['webhook-id']}`
          sending.set(key, (sending.get(key) ?? 0) + 1)
          if ((sending.get(key) as number) > 1) overlaps += 1
          const answer = await real(request, signal)
          sending.set(key, (sending.get(key) as number) - 1)
          return answer
        }),
      )
      await eventually('all 200 are delivered', async () => (await outbox.rows()).every(({ outcome }) => outcome === 'delivered'), 30_000)
      for (const dispatcher of dispatchers) await dispatcher.stop()
      expect(overlaps).to.equal(0)
      expect(receiver.requests).to.have.length(200)
      expect(sending.size).to.equal(200)
    })

    it('leaves a delivery that another process holds alone until the lease has run out, then takes it over', async () => {
      const receiver = await receive(200)
      await outbox.addWebhook(receiver.url)
      await outbox.announce()
      const [held] = await claimDueDeliveries(outbox.db.knex, { token: 'dead', now: NOON, until: NOON + 30 * SECOND, limit: 20 })
      const dispatcher = outbox.startDispatcher()
      outbox.clock.now = NOON + 30 * SECOND
      dispatcher.wake()
      await sleep(A_TURN_MS)
      expect(receiver.requests).to.deep.equal([])
      outbox.clock.now = NOON + 30 * SECOND + 1
      await arrives(receiver, 1, dispatcher)
      await settled(dispatcher)
      const lateWord = await settleDelivery(outbox.db.knex, { id: held?.id as number, token: 'dead', outcome: 'failed', attempts: 9, status: 500, error: 'late', at: NOON })
      expect(lateWord).to.equal(false)
      expect(await onlyRow()).to.include({ outcome: 'delivered', attempts: 1 })
    })

    it('writes nothing about an attempt whose lease another process took over meanwhile', async () => {
      let answer = (_status: number) => {}
      const receiver = await receive((index) => (index === 0 ? new Promise<number>((resolve) => (answer = resolve)) : 200))
      await outbox.addWebhook(receiver.url)
      await outbox.announce()
      const frozen = outbox.startDispatcher()
      await arrives(receiver, 1, frozen)
      outbox.clock.now += 31 * SECOND
      const other = outbox.startDispatcher()
      await arrives(receiver, 2, other)
      await eventually('the other settles it', async () => (await onlyRow()).outcome === 'delivered')
      const before = await onlyRow()
      answer(500)
      await frozen.stop()
      expect(await onlyRow()).to.deep.equal(before)
      expect(before).to.include({ attempts: 1, last_status: 200 })
    })

    describe('after 410', () => {
      it('disables the webhook with one audit entry, drops what waits for it, and tells it nothing more', async () => {
        const receiver = await receive(410)
        const { id } = await outbox.addWebhook(receiver.url)
        await outbox.announce()
        const dispatcher = outbox.startDispatcher()
        await arrives(receiver, 1, dispatcher)
        await eventually('it is disabled', async () => (await findWebhook(outbox.db.knex, id))?.disabledAt !== undefined)
        expect((await findWebhook(outbox.db.knex, id))?.disabledReason).to.contain('410')
        await settled(dispatcher)
        await outbox.announce()
        dispatcher.wake()
        await sleep(A_TURN_MS)
        expect(receiver.requests).to.have.length(1)
        expect(await outbox.rows()).to.have.length(1)
        expect(await outbox.auditActions()).to.deep.equal(['created', 'disabled'])
      })

      it('leaves other webhooks alone', async () => {
        const [gone, healthy] = [await receive(410), await receive(200)]
        await outbox.addWebhook(gone.url)
        await outbox.addWebhook(healthy.url)
        await outbox.announce()
        const dispatcher = outbox.startDispatcher()
        await arrives(gone, 1, dispatcher)
        await arrives(healthy, 1, dispatcher)
        await settled(dispatcher)
        await outbox.announce()
        await arrives(healthy, 2, dispatcher)
        expect(gone.requests).to.have.length(1)
      })

      it('to several announcements at once disables the webhook once, with one audit entry', async () => {
        const receiver = await receive(410)
        const { id } = await outbox.addWebhook(receiver.url)
        for (let count = 0; count < 5; count++) await outbox.announce()
        const dispatcher = outbox.startDispatcher()
        await eventually('it is disabled', async () => (await findWebhook(outbox.db.knex, id))?.disabledAt !== undefined)
        await settled(dispatcher)
        await dispatcher.stop()
        expect(await outbox.auditActions()).to.deep.equal(['created', 'disabled'])
      })
    })

    describe('on failures that last', () => {
      /** Announces at a time, and waits until the attempt at it was judged. */
      const failAt = async (receiver: Receiver, dispatcher: Dispatcher, at: number) => {
        outbox.clock.now = at
        const count = receiver.requests.length
        await outbox.announce()
        await arrives(receiver, count + 1, dispatcher)
        await settled(dispatcher)
      }

      it('disables the webhook at 120 hours, not at 119 hours and 59 minutes, and audits it', async () => {
        const receiver = await receive(500)
        const { id } = await outbox.addWebhook(receiver.url)
        const dispatcher = outbox.startDispatcher()
        await failAt(receiver, dispatcher, NOON)
        await failAt(receiver, dispatcher, NOON + 119 * HOUR + 59 * MINUTE)
        expect(await findWebhook(outbox.db.knex, id)).to.include({ disabledAt: undefined, failingSince: NOON })
        outbox.clock.now = NOON + 120 * HOUR
        await outbox.announce()
        await eventually('it is disabled', async () => {
          dispatcher.wake()
          return (await findWebhook(outbox.db.knex, id))?.disabledAt === NOON + 120 * HOUR
        })
        await settled(dispatcher)
        expect(await outbox.auditActions()).to.deep.equal(['created', 'disabled'])
      })

      it('counts anew after one success', async () => {
        let status = 500
        const receiver = await receive(() => status)
        const { id } = await outbox.addWebhook(receiver.url)
        const dispatcher = outbox.startDispatcher()
        await failAt(receiver, dispatcher, NOON)
        status = 200
        await failAt(receiver, dispatcher, NOON + 100 * HOUR)
        expect((await findWebhook(outbox.db.knex, id))?.failingSince).to.equal(undefined)
        status = 500
        await failAt(receiver, dispatcher, NOON + 121 * HOUR)
        expect(await findWebhook(outbox.db.knex, id)).to.include({ disabledAt: undefined, failingSince: NOON + 121 * HOUR })
      })
    })

    describe('when a webhook is deleted', () => {
      it('drops what waits for it', async () => {
        const receiver = await receive(500)
        const { id } = await outbox.addWebhook(receiver.url)
        await outbox.announce()
        const dispatcher = outbox.startDispatcher()
        await arrives(receiver, 1, dispatcher)
        await settled(dispatcher)
        await removeWebhook({ db: outbox.db, now: () => outbox.clock.now }, { name: 'root' }, id)
        expect(await onlyRow()).to.include({ outcome: 'dropped', next_attempt_at: null })
        outbox.clock.now += 24 * HOUR
        dispatcher.wake()
        await sleep(A_TURN_MS)
        expect(receiver.requests).to.have.length(1)
      })

      it('during an attempt makes no other attempt, and calls the delivery dropped', async () => {
        let answer = (_status: number) => {}
        const receiver = await receive(() => new Promise<number>((resolve) => (answer = resolve)))
        const { id } = await outbox.addWebhook(receiver.url)
        await outbox.announce()
        const dispatcher = outbox.startDispatcher()
        await arrives(receiver, 1, dispatcher)
        await removeWebhook({ db: outbox.db, now: () => outbox.clock.now }, { name: 'root' }, id)
        answer(500)
        await dispatcher.stop()
        expect(await onlyRow()).to.include({ outcome: 'dropped', next_attempt_at: null })
        const another = outbox.startDispatcher()
        outbox.clock.now += 24 * HOUR
        another.wake()
        await sleep(A_TURN_MS)
        expect(receiver.requests).to.have.length(1)
      })

      it('during an attempt that ends in 410 leaves no entry of a webhook that is not there', async () => {
        let answer = (_status: number) => {}
        const receiver = await receive(() => new Promise<number>((resolve) => (answer = resolve)))
        const { id } = await outbox.addWebhook(receiver.url)
        await outbox.announce()
        const dispatcher = outbox.startDispatcher()
        await arrives(receiver, 1, dispatcher)
        await removeWebhook({ db: outbox.db, now: () => outbox.clock.now }, { name: 'root' }, id)
        answer(410)
        await dispatcher.stop()
        expect(await outbox.auditActions()).to.deep.equal(['created', 'deleted'])
      })
    })

    it('lets a receiver that hangs delay none of the others', async () => {
      const [hanging, healthy] = [await receive('hang'), await receive(200)]
      await outbox.addWebhook(hanging.url)
      await outbox.addWebhook(healthy.url)
      await outbox.announce()
      const dispatcher = outbox.startDispatcher()
      await arrives(hanging, 1, dispatcher)
      await arrives(healthy, 1, dispatcher)
      const startedAt = Date.now()
      await outbox.announce()
      await eventually('the healthy one hears of the second', () => {
        dispatcher.wake()
        return healthy.requests.length === 2
      }, 3000)
      expect(Date.now() - startedAt).to.be.lessThan(3000)
    })

    it('waits for the attempt under way when it is stopped, and begins none after', async () => {
      const receiver = await receive(async () => {
        await sleep(300)
        return 200
      })
      await outbox.addWebhook(receiver.url)
      await outbox.announce()
      const dispatcher = outbox.startDispatcher()
      await arrives(receiver, 1, dispatcher)
      await dispatcher.stop()
      expect(await onlyRow()).to.include({ outcome: 'delivered', attempts: 1, lease_token: null })
      await outbox.announce()
      dispatcher.wake()
      await sleep(A_TURN_MS)
      expect(receiver.requests).to.have.length(1)
    })

    it('warns and goes on by itself when the database fails for a while', async () => {
      const receiver = await receive(200)
      await outbox.addWebhook(receiver.url)
      await outbox.db.knex.schema.renameTable('webhook_deliveries', 'away')
      const dispatcher = outbox.startDispatcher()
      await eventually('it warns', () => outbox.log.length > 0)
      expect(outbox.log[0]).to.contain('wait for the database')
      await outbox.db.knex.schema.renameTable('away', 'webhook_deliveries')
      await outbox.announce()
      await arrives(receiver, 1, dispatcher)
    })
  })
})

function verifies(secret: string, body: string, headers: Record<string, string>): boolean {
  try {
    new Verifier(secret).verify(body, headers)
    return true
  } catch {
    // What the library throws says only that it does not fit.
    return false
  }
}
