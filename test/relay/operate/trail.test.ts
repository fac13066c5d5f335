import { expect } from 'chai'
import { discardDeadLetters, replayDeadLetters } from '../../../src/relay/operate/dead-letters.ts'
import { discardQuarantine, listQuarantine } from '../../../src/relay/operate/quarantine.ts'
import { listTrails } from '../../../src/relay/operate/trail.ts'
import type { TrailQuery } from '../../../src/relay/operate/trail.ts'
import { upsertAttempts } from '../../../src/store/relay/relay-attempts.ts'
import { onEachEngine } from '../../support/database.ts'
import { FAULT, testSpec } from '../support/accepting.ts'
import { newEvent, until } from '../support/relay-database.ts'
import { createRelayRig } from '../support/relay-rig.ts'
import type { RelayRig } from '../support/relay-rig.ts'
import { testDestination, testSource } from '../support/snapshot.ts'

const OPERATOR = { keyId: 1 }
const track = (id: string, fields: object = {}) => ({ type: 'track', event_name: 'E', message_id: id, user_id: id, ...fields })

onEachEngine((engine) => {
  describe('the trail of an event', () => {
    let rig: RelayRig

    beforeEach(async () => {
      rig = await createRelayRig(engine)
      rig.registry.sources.push(testSource('web', ['a']))
    })
    afterEach(() => rig.close())

    async function withReceiver(answer: Parameters<RelayRig['receiver']>[0] = () => 200) {
      const receiver = await rig.receiver(answer)
      rig.registry.destinations = [testDestination(1, 'a', { url: receiver.url })]
      return receiver
    }
    const trails = async (query: Partial<TrailQuery> = {}) => (await listTrails(rig.operate, { limit: 100, ...query })).trails
    const delivery = async (messageId: string) => (await trails({ messageId }))[0]?.deliveries[0]
    const settled = (counts: string) => until(async () => (await rig.counts(1)) === counts, `the counts ${counts}`)
    const rowsOfAttempts = async () => Number((await rig.db.knex('relay_attempts').count({ n: '*' }).first<{ n: number }>()).n)

    it('tells of an event that was delivered at once, which costs no row beside its own', async () => {
      await withReceiver()
      rig.registry.resolve = () => ({ kind: 'planned', spec: testSpec() })
      await rig.send([track('m1', { timestamp: '2026-11-21T10:00:00Z' })])
      expect((await trails())[0]).to.include({ status: 'pending', verdict: 'accepted' })
      expect(await delivery('m1')).to.include({ state: 'pending', attempts: 0 })
      rig.supervise()
      await settled('1 1 0')
      const [trail] = await trails({ messageId: 'm1' })
      expect(trail).to.deep.include({ messageId: 'm1', source: 'web', eventName: 'E', status: 'delivered', spec: 'shop/signed-up@1-0-0', violations: [], replayOf: undefined })
      expect(trail?.event.timestamp).to.equal('2026-11-21T10:00:00.000Z')
      expect(trail?.deliveries).to.deep.equal([
        { destination: 'a', state: 'delivered', attempts: 1, lastStatus: undefined, lastDurationMs: undefined, lastAttemptAt: undefined, message: undefined, deadLetterId: undefined, replayedAs: undefined },
      ])
      expect(await rowsOfAttempts()).to.equal(0)
    })

    it('tells attempts, status, duration and the words of the vendor, while it is retried and afterwards', async () => {
      const receiver = await withReceiver(() => ({ status: 503, body: 'come back later' }))
      rig.supervise()
      await rig.send([track('m1'), track('m2')])
      await until(async () => ((await delivery('m1'))?.attempts ?? 0) > 1, 'two attempts')
      const retried = await delivery('m1')
      expect(retried).to.include({ state: 'retrying', lastStatus: 503, message: 'answered 503: come back later' })
      expect(retried?.lastDurationMs).to.be.within(0, 5000)
      expect(retried?.lastAttemptAt).to.be.closeTo(rig.deps.now(), 5000)
      receiver.answer = () => 200
      await settled('2 2 0')
      const done = await delivery('m1')
      expect(done).to.include({ state: 'delivered', lastStatus: 200, message: 'answered 503: come back later' })
      expect(done?.attempts).to.equal(receiver.requests.filter((request) => request.ids[0] === 'm1').length)
    })

    it('goes on counting attempts after a restart', async () => {
      const receiver = await withReceiver(() => 503)
      const first = rig.supervise()
      await rig.send([track('m1')])
      await until(async () => ((await delivery('m1'))?.attempts ?? 0) > 2, 'three attempts')
      await first.stop()
      const before = (await delivery('m1'))?.attempts as number
      receiver.answer = () => 200
      rig.supervise()
      await settled('1 1 0')
      expect((await delivery('m1'))?.attempts).to.equal(before + 1)
    })

    it('leads from a dead letter to its replay, and knows a discarded one', async () => {
      const receiver = await withReceiver(() => ({ status: 400, body: 'no' }))
      rig.supervise()
      await rig.send([track('m1'), track('m2')])
      await settled('2 0 2')
      expect(await delivery('m1')).to.include({ state: 'dead_letter', attempts: 1, lastStatus: 400, message: 'answered 400: no' })
      expect((await delivery('m1'))?.deadLetterId).to.be.a('number')
      expect((await trails({ status: 'failed' })).map((trail) => trail.messageId)).to.deep.equal(['m2', 'm1'])
      receiver.answer = () => 200
      await replayDeadLetters(rig.operate, OPERATOR, { messageId: 'm1' })
      await settled('2 1 1')
      const [replay, original] = await trails({ messageId: 'm1' })
      expect(replay).to.include({ status: 'delivered', replayOf: original?.id })
      expect(original?.status).to.equal('replayed')
      expect(original?.deliveries[0]).to.include({ state: 'replayed', replayedAs: replay?.id })
      await discardDeadLetters(rig.operate, OPERATOR, { messageId: 'm2' })
      expect(await delivery('m2')).to.include({ state: 'discarded', message: 'answered 400: no' })
      expect((await trails({ messageId: 'm2' }))[0]?.status).to.equal('failed')
    })

    it('says why an event is halted: its destination refused its credentials or is paused', async () => {
      await withReceiver(() => ({ status: 401, body: 'wrong key' }))
      rig.supervise()
      await rig.send([track('m1'), track('m2')])
      await until(async () => (await delivery('m2'))?.state === 'halted', 'the halt')
      expect(await delivery('m1')).to.include({ state: 'halted', attempts: 1, lastStatus: 401, message: 'answered 401: wrong key' })
      rig.registry.destinations = rig.registry.destinations.map((each) => ({ ...each, pausedAt: 5, pausedReason: 'holiday' }))
      expect(await delivery('m1')).to.include({ state: 'halted', message: 'holiday' })
      expect((await trails({ status: 'pending' })).length).to.equal(2)
      rig.registry.destinations = []
      expect(await delivery('m1')).to.include({ state: 'removed', destination: undefined })
    })

    it('tells of events that were held back, drawn out or had nowhere to go', async () => {
      await withReceiver()
      rig.registry.resolve = () => ({ kind: 'planned', spec: testSpec() })
      await rig.send([track('q1', { properties: { bad: true } }), track('q2', { properties: { bad: true } })])
      const [first] = await listQuarantine(rig.operate, { limit: 1 })
      await discardQuarantine(rig.operate, OPERATOR, { ids: [first?.id as number] })
      rig.registry.resolve = () => ({ kind: 'planned', spec: testSpec({ sampling: { strategy: 'random', rate: 0 } }) })
      await rig.send([track('s1')])
      rig.registry.resolve = () => ({ kind: 'unplanned' })
      rig.registry.sources = [testSource('web', [])]
      await rig.send([track('u1')])
      expect((await trails()).map((trail) => [trail.messageId, trail.status])).to.deep.equal([['u1', 'unrouted'], ['s1', 'sampled_out'], ['q2', 'quarantined'], ['q1', 'discarded']])
      expect((await trails({ messageId: 'q2' }))[0]?.violations).to.deep.equal([FAULT])
      for (const status of ['quarantined', 'discarded', 'sampled_out', 'unrouted'] as const) expect(await trails({ status }), status).to.have.length(1)
    })

    it('is found by each condition, by the whole message_id only, and page by page', async () => {
      await withReceiver()
      rig.registry.sources.push(testSource('app', ['a']))
      await rig.send([track('m1'), track('m10'), track('m2', { event_name: 'F' })])
      await rig.send([track('m1'), track('m')], 'app')
      const ids = async (query: Partial<TrailQuery>) => (await trails(query)).map((trail) => `${trail.source} ${trail.messageId}`)
      expect(await ids({ messageId: 'm1' })).to.deep.equal(['app m1', 'web m1'])
      expect(await ids({ messageId: 'm1', source: 'web' })).to.deep.equal(['web m1'])
      expect(await ids({ messageId: 'm1', eventName: 'F' })).to.deep.equal([])
      expect(await ids({ messageId: 'm' })).to.deep.equal(['app m'])
      expect(await ids({ source: 'app' })).to.deep.equal(['app m', 'app m1'])
      expect(await ids({ eventName: 'F' })).to.deep.equal(['web m2'])
      const seen: string[] = []
      for (let before: number | undefined, page = 0; page < 10; page++) {
        const { trails: part, next } = await listTrails(rig.operate, { limit: 2, status: 'pending', ...(before === undefined ? {} : { before }) })
        seen.push(...part.map((trail) => trail.messageId))
        if (next === undefined) break
        before = next
      }
      expect(seen).to.deep.equal(['m', 'm1', 'm2', 'm10', 'm1'])
    })

    it('is not changed by a worker whose lease another took over', async () => {
      await rig.log.append([newEvent('m1', [1])])
      await rig.log.claim({ destinationId: 1, token: 'old' }, -1)
      await rig.log.claim({ destinationId: 1, token: 'new' }, 1000)
      const attempt = { seq: 1, destinationId: 1, outcome: 'dead' as const, attempts: 9, status: 400, durationMs: 1, message: 'late', attemptedAt: 1 }
      expect(await rig.deps.attempts.record({ destinationId: 1, token: 'old' }, [attempt])).to.equal(false)
      expect(await rowsOfAttempts()).to.equal(0)
      expect(await rig.deps.attempts.record({ destinationId: 1, token: 'new' }, [attempt])).to.equal(true)
    })

    it('is forgotten with its event', async () => {
      await withReceiver((request) => (request.ids[0] === 'm1' ? 400 : 200))
      const supervisor = rig.supervise()
      await rig.send([track('m1')])
      await settled('1 0 1')
      await replayDeadLetters(rig.operate, OPERATOR, {})
      await settled('1 0 1')
      await supervisor.stop()
      expect(await rowsOfAttempts()).to.be.greaterThan(0)
      await rig.db.knex.transaction((tx) => upsertAttempts(tx, [{ seq: 99, destinationId: 1, outcome: 'retrying', attempts: 1, status: 1, durationMs: 1, message: 'x', attemptedAt: 1 }]))
      rig.clock.offsetMs = 60_000
      await rig.log.prune(1)
      await rig.deps.attempts.prune()
      expect(await rowsOfAttempts(), 'only what lies ahead').to.equal(1)
      expect(await rig.db.knex('relay_replays')).to.deep.equal([])
    })
  })
})
