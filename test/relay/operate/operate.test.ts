import { expect } from 'chai'
import { discardDeadLetters, listDeadLetters, replayDeadLetters } from '../../../src/relay/operate/dead-letters.ts'
import { listDeliveries, listHaltReasons } from '../../../src/relay/operate/deliveries.ts'
import { flush } from '../../../src/relay/operate/flush.ts'
import { discardQuarantine, listQuarantine, releaseQuarantine } from '../../../src/relay/operate/quarantine.ts'
import { onEachEngine } from '../../support/database.ts'
import { FAULT, faultOf, testSpec } from '../support/accepting.ts'
import { until } from '../support/relay-database.ts'
import { createRelayRig } from '../support/relay-rig.ts'
import type { RelayRig } from '../support/relay-rig.ts'
import { testDestination, testSource } from '../support/snapshot.ts'

const OPERATOR = { keyId: 1, name: 'on-call', role: 'admin' as const }

const track = (id: string, fields: object = {}) => ({ type: 'track', event_name: 'E', message_id: id, user_id: 'u', ...fields })

onEachEngine((engine) => {
  describe('operating the relay', () => {
    let rig: RelayRig

    beforeEach(async () => {
      rig = await createRelayRig(engine)
      rig.registry.sources.push(testSource('web', ['a']))
    })

    afterEach(() => rig.close())

    async function withReceiver(answer: Parameters<RelayRig['receiver']>[0] = () => 200, config: object = {}) {
      const receiver = await rig.receiver(answer)
      rig.registry.destinations = [testDestination(1, 'a', { url: receiver.url, ...config })]
      return receiver
    }

    describe('flush', () => {
      it('says how much waits', async () => {
        await withReceiver()
        await rig.send([track('m1'), track('m2')])
        expect(await flush(rig.operate, {})).to.deep.equal({ pending: 2, destinations: [{ destination: 'a', delivered: 0, failed: 0, pending: 2 }] })
      })

      it('answers when what was buffered is settled, with what became of it', async () => {
        const receiver = await withReceiver((request) => (request.ids[0] === 'm2' ? 400 : 200))
        await rig.send([track('m1'), track('m2'), track('m3')])
        rig.supervise()
        expect(await flush(rig.operate, { waitMs: 5000 })).to.deep.equal({ pending: 0, destinations: [{ destination: 'a', delivered: 2, failed: 1, pending: 0 }] })
        expect(receiver.requests).to.have.length(3)
      })

      it('cuts the backoff of every destination short', async () => {
        let isDown = true
        const receiver = await withReceiver(() => (isDown ? { status: 503, headers: { 'retry-after': '200' } } : 200))
        rig.supervise()
        await rig.send([track('m1'), track('m2')])
        await until(() => receiver.requests.length > 0)
        isDown = false
        const flushed = await flush(rig.operate, { waitMs: 5000 })
        expect(flushed.pending).to.equal(0)
        expect(receiver.taken()).to.deep.equal(['m1', 'm2'])
      })

      it('stops waiting at its time, and does not wait for a destination that is paused or halted', async () => {
        const receiver = await withReceiver(() => 503)
        rig.supervise()
        await rig.send([track('m1')])
        expect((await flush(rig.operate, { waitMs: 100 })).pending).to.equal(1)
        receiver.answer = () => 401
        const from = Date.now()
        await until(async () => (await listHaltReasons(rig.operate)).size === 1, 'the halt')
        expect((await flush(rig.operate, { waitMs: 5000 })).pending).to.equal(1)
        expect(Date.now() - from).to.be.lessThan(3000)
      })

      it('counts one source only when asked to, and knows no other than the registered ones', async () => {
        await withReceiver()
        rig.registry.sources.push(testSource('app', ['a']))
        await rig.send([track('m1')], 'web')
        await rig.send([track('m1'), track('m2')], 'app')
        expect((await flush(rig.operate, { source: 'app' })).pending).to.equal(2)
        expect((await faultOf(flush(rig.operate, { source: 'nope' }))).message).to.contain('"nope"')
      })
    })

    describe('the overview', () => {
      it('shows each destination\'s state, backlog and last error', async () => {
        await withReceiver()
        expect((await listDeliveries(rig.operate))[0]).to.include({ destination: 'a', provider: 'http', state: 'idle', backlog: 0, delivered: 0 })
        const before = rig.deps.now()
        await rig.send([track('m1')])
        expect((await listDeliveries(rig.operate))[0]).to.include({ state: 'delivering', backlog: 1 })
        expect((await listDeliveries(rig.operate))[0]?.oldestReceivedAt).to.be.at.least(before)
        rig.registry.destinations = rig.registry.destinations.map((each) => ({ ...each, pausedAt: 5, pausedReason: 'holiday' }))
        expect((await listDeliveries(rig.operate))[0]).to.include({ state: 'paused', reason: 'holiday', since: 5 })
      })

      it('shows why a destination fails or is halted, until it is changed', async () => {
        const receiver = await withReceiver(() => 503)
        rig.supervise()
        await rig.send([track('m1')])
        await until(async () => (await listDeliveries(rig.operate))[0]?.state === 'failing', 'the failure')
        receiver.answer = () => ({ status: 403, body: 'no access' })
        await until(async () => (await listDeliveries(rig.operate))[0]?.state === 'halted', 'the halt')
        expect((await listDeliveries(rig.operate))[0]).to.include({ backlog: 1, reason: 'answered 403: no access' })
        expect([...(await listHaltReasons(rig.operate))]).to.deep.equal([[1, 'answered 403: no access']])
        receiver.answer = () => 200
        rig.registry.destinations = rig.registry.destinations.map((each) => ({ ...each, generation: 2 }))
        expect((await listHaltReasons(rig.operate)).size).to.equal(0)
        await until(async () => (await listDeliveries(rig.operate))[0]?.state === 'idle', 'the recovery')
        expect((await listDeliveries(rig.operate))[0]).to.include({ delivered: 1, failed: 0 })
      })
    })

    describe('dead letters', () => {
      async function withDeadLetters() {
        const receiver = await withReceiver(() => ({ status: 400, body: 'no' }))
        rig.supervise()
        await rig.send([track('m1'), track('m2'), track('m3')])
        await until(async () => (await rig.counts(1)) === '3 0 3')
        return receiver
      }

      it('are listed newest first, page by page, with their event and reason', async () => {
        await withDeadLetters()
        const page = await listDeadLetters(rig.operate, { limit: 2 })
        expect(page.map((letter) => letter.messageId)).to.deep.equal(['m3', 'm2'])
        expect(page[0]).to.include({ destination: 'a', source: 'web', code: 'rejected', reason: 'answered 400: no', attempts: 1 })
        expect(page[0]?.event).to.include({ message_id: 'm3', event_name: 'E' })
        const rest = await listDeadLetters(rig.operate, { limit: 2, before: page[1]?.id ?? 0 })
        expect(rest.map((letter) => letter.messageId)).to.deep.equal(['m1'])
        expect(await listDeadLetters(rig.operate, { limit: 2, code: 'expired' })).to.deep.equal([])
      })

      it('arrive when they are replayed, in their order, under their own message ids', async () => {
        const receiver = await withDeadLetters()
        receiver.answer = () => 200
        expect(await replayDeadLetters(rig.operate, OPERATOR, {})).to.deep.equal({ replayed: 3, skipped: 0 })
        await until(() => receiver.taken().length === 3)
        expect(receiver.taken()).to.deep.equal(['m1', 'm2', 'm3'])
        await until(async () => (await rig.counts(1)) === '3 3 0', 'the counts')
        expect(await listDeadLetters(rig.operate, { limit: 10 })).to.deep.equal([])
      })

      it('that fail again are dead letters again, once', async () => {
        await withDeadLetters()
        const [letter] = await listDeadLetters(rig.operate, { limit: 1 })
        expect(await replayDeadLetters(rig.operate, OPERATOR, { ids: [letter?.id ?? 0] })).to.deep.equal({ replayed: 1, skipped: 0 })
        await until(async () => (await rig.counts(1)) === '3 0 3', 'the counts')
        await until(async () => (await listDeadLetters(rig.operate, { limit: 10 })).length === 3, 'the letter')
      })

      it('are replayed once by two operators at the same time', async () => {
        const receiver = await withDeadLetters()
        receiver.answer = () => 200
        const replays = await Promise.all([replayDeadLetters(rig.operate, OPERATOR, {}), replayDeadLetters(rig.operate, OPERATOR, {})])
        expect(replays[0].replayed + replays[1].replayed).to.equal(3)
        await until(async () => (await rig.counts(1)) === '3 3 0', 'the counts')
        expect(receiver.taken()).to.have.length(3)
      })

      it('of a destination that is gone stay and are reported', async () => {
        await withDeadLetters()
        rig.registry.destinations = []
        expect(await replayDeadLetters(rig.operate, OPERATOR, {})).to.deep.equal({ replayed: 0, skipped: 3 })
      })

      it('are found by each filter, and only those that fit are replayed or given up', async () => {
        const from = rig.deps.now()
        await withDeadLetters()
        const ids = async (filter: object) => (await listDeadLetters(rig.operate, { limit: 10, ...filter })).map((letter) => letter.messageId)
        const all = ['m3', 'm2', 'm1']
        for (const filter of [{ destination: 'a' }, { source: 'web' }, { eventName: 'E' }, { code: 'rejected' }, { since: from }, { until: from + 60_000 }]) {
          expect(await ids(filter), JSON.stringify(filter)).to.deep.equal(all)
        }
        for (const filter of [{ destination: 'b' }, { source: 'app' }, { eventName: 'F' }, { code: 'expired' }, { since: from + 60_000 }, { until: from }]) {
          expect(await ids(filter), JSON.stringify(filter)).to.deep.equal([])
          expect(await discardDeadLetters(rig.operate, OPERATOR, filter)).to.equal(0)
          expect(await replayDeadLetters(rig.operate, OPERATOR, filter)).to.deep.equal({ replayed: 0, skipped: 0 })
        }
        expect(await ids({ messageId: 'm2' })).to.deep.equal(['m2'])
        expect(await discardDeadLetters(rig.operate, OPERATOR, { messageId: 'm2' })).to.equal(1)
        expect(await ids({})).to.deep.equal(['m3', 'm1'])
      })

      it('can be given up', async () => {
        await withDeadLetters()
        expect(await discardDeadLetters(rig.operate, OPERATOR, { destination: 'a' })).to.equal(3)
        expect(await listDeadLetters(rig.operate, { limit: 10 })).to.deep.equal([])
        expect(await rig.counts(1)).to.equal('3 0 3')
      })
    })

    describe('quarantine', () => {
      const bad = (id: string) => track(id, { properties: { bad: true } })

      beforeEach(() => {
        rig.registry.resolve = () => ({ kind: 'planned', spec: testSpec() })
      })

      it('lists what violates its spec, oldest first, and delivers none of it', async () => {
        const receiver = await withReceiver()
        rig.supervise()
        await rig.send([bad('q1'), track('m1'), bad('q2')])
        await until(() => receiver.taken().length === 1)
        const [first, second] = await listQuarantine(rig.operate, { limit: 10 })
        expect(first).to.deep.include({ messageId: 'q1', source: 'web', eventName: 'E', spec: 'shop/signed-up@1-0-0', violations: [FAULT] })
        expect(second?.messageId).to.equal('q2')
        expect((await listQuarantine(rig.operate, { limit: 10, after: first?.id ?? 0 })).map((event) => event.messageId)).to.deep.equal(['q2'])
        expect(receiver.taken()).to.deep.equal(['m1'])
      })

      it('releases what passes the spec of now, in its order and with its times, to the destinations of now', async () => {
        rig.registry.sources = [testSource('web', [])]
        await rig.send([bad('q1'), bad('q2'), bad('q3')])
        const [original] = await listQuarantine(rig.operate, { limit: 1 })
        rig.registry.sources = [testSource('web', ['a'])]
        const receiver = await withReceiver()
        rig.supervise()
        rig.registry.resolve = () => ({ kind: 'planned', spec: testSpec({ validate: () => [] }) })
        expect(await releaseQuarantine(rig.operate, OPERATOR, {})).to.deep.equal({ released: 3, kept: 0, keptEvents: [] })
        await until(() => receiver.taken().length === 3)
        expect(receiver.taken()).to.deep.equal(['q1', 'q2', 'q3'])
        expect(JSON.parse(receiver.requests[0]?.body ?? '')).to.deep.equal(original?.event)
        await until(async () => (await rig.counts(1)) === '3 3 0', 'the counts')
        expect(await listQuarantine(rig.operate, { limit: 10 })).to.deep.equal([])
      })

      it('keeps what still violates, and says why', async () => {
        await withReceiver()
        await rig.send([bad('q1'), bad('q2')])
        rig.registry.resolve = () => ({ kind: 'planned', spec: testSpec({ validate: (_payload, attributes) => ((attributes as object) ? [FAULT] : []) }) })
        const result = await releaseQuarantine(rig.operate, OPERATOR, {})
        expect(result).to.include({ released: 0, kept: 2 })
        expect(result.keptEvents[0]).to.deep.include({ messageId: 'q1', violations: [FAULT] })
        expect(await listQuarantine(rig.operate, { limit: 10 })).to.have.length(2)
      })

      it('is found by each filter, and only what fits is released or given up', async () => {
        await withReceiver()
        await rig.send([bad('q1'), { ...bad('q2'), event_name: 'F' }])
        rig.registry.resolve = () => ({ kind: 'planned', spec: testSpec({ validate: () => [] }) })
        const ids = async (filter: object) => (await listQuarantine(rig.operate, { limit: 10, ...filter })).map((event) => event.messageId)
        expect(await ids({ source: 'web' })).to.deep.equal(['q1', 'q2'])
        expect(await ids({ messageId: 'q2' })).to.deep.equal(['q2'])
        expect(await ids({ eventName: 'E' })).to.deep.equal(['q1'])
        for (const filter of [{ source: 'app' }, { messageId: 'q3' }, { eventName: 'G' }, { ids: [999] }]) {
          expect(await releaseQuarantine(rig.operate, OPERATOR, filter)).to.include({ released: 0, kept: 0 })
          expect(await discardQuarantine(rig.operate, OPERATOR, filter)).to.equal(0)
        }
        expect((await releaseQuarantine(rig.operate, OPERATOR, { eventName: 'F' })).released).to.equal(1)
        expect(await ids({})).to.deep.equal(['q1'])
      })

      it('keeps what belongs to a source that is gone', async () => {
        await rig.send([bad('q1')])
        rig.registry.sources = []
        expect((await releaseQuarantine(rig.operate, OPERATOR, {})).keptEvents[0]?.violations[0]?.rule).to.equal('unknown_source')
      })

      it('knows a released or discarded message as a duplicate', async () => {
        await withReceiver()
        await rig.send([bad('q1'), bad('q2')])
        const [first, second] = await listQuarantine(rig.operate, { limit: 10 })
        rig.registry.resolve = () => ({ kind: 'planned', spec: testSpec({ validate: () => [] }) })
        expect((await releaseQuarantine(rig.operate, OPERATOR, { ids: [first?.id ?? 0] })).released).to.equal(1)
        expect(await discardQuarantine(rig.operate, OPERATOR, { ids: [second?.id ?? 0] })).to.equal(1)
        expect((await rig.send([bad('q1'), bad('q2')])).map((item) => item.status)).to.deep.equal(['duplicate', 'duplicate'])
      })

      it('is released once by two operators at the same time', async () => {
        const receiver = await withReceiver()
        await rig.send(Array.from({ length: 20 }, (_, n) => bad(`q${n}`)))
        rig.supervise()
        rig.registry.resolve = () => ({ kind: 'planned', spec: testSpec({ validate: () => [] }) })
        const releases = await Promise.all([releaseQuarantine(rig.operate, OPERATOR, {}), releaseQuarantine(rig.operate, OPERATOR, {})])
        expect(releases[0].released + releases[1].released).to.equal(20)
        await until(async () => (await rig.counts(1)) === '20 20 0', 'the counts')
        expect(receiver.taken()).to.have.length(20)
      })
    })
  })
})
