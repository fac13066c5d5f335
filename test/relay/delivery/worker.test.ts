import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { onEachEngine } from '../../support/database.ts'
import { newEvent, until } from '../support/relay-database.ts'
import { createRig } from '../support/rig.ts'
import type { Rig } from '../support/rig.ts'
import { testDestination } from '../support/snapshot.ts'

const ids = (count: number, prefix = 'm') => Array.from({ length: count }, (_, n) => `${prefix}${n}`)
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

onEachEngine((engine) => {
  describe('a worker', () => {
    let rig: Rig

    beforeEach(async () => {
      rig = await createRig(engine)
    })

    afterEach(() => rig.close())

    const append = (messageIds: string[], canonical: Record<string, unknown> = {}) => rig.log.append(messageIds.map((id) => newEvent(id, [7], canonical)))
    const settled = (count: number) =>
      until(async () => {
        const [, delivered, dead] = (await rig.counts(7)).split(' ').map(Number)
        return Number(delivered) + Number(dead) === count
      }, `${count} settled events`)

    it('delivers the events of a user in order and counts them', async () => {
      const receiver = await rig.receiver()
      rig.start(testDestination(7, 'hook', { url: receiver.url }))
      for (const id of ids(30)) await append([id], { user_id: 'u1' })
      await settled(30)
      expect(receiver.taken()).to.deep.equal(ids(30))
      expect(await rig.counts(7)).to.equal('30 30 0')
      expect(await rig.cursor(7)).to.include({ position: 30 })
    })

    it('sends the canonical event as it is in the log', async () => {
      const receiver = await rig.receiver()
      rig.start(testDestination(7, 'hook', { url: receiver.url, api_key: 'k', headers: { 'X-Team': 'growth' } }))
      const event = newEvent('m', [7], { properties: { plan: 'pro', name: 'Ünïcödé ✓' } })
      await rig.log.append([event])
      await settled(1)
      expect(JSON.parse(receiver.requests[0]?.body ?? '')).to.deep.equal(JSON.parse(event.event))
      expect(receiver.requests[0]?.headers).to.include({ authorization: 'Bearer k', 'x-team': 'growth', 'idempotency-key': 'm', 'content-type': 'application/json' })
    })

    it('fills one request after the other up to the batch size', async () => {
      const receiver = await rig.receiver()
      await append(ids(25))
      rig.start(testDestination(7, 'hook', { url: receiver.url, batch: true, batch_size: 10 }))
      await settled(25)
      expect(receiver.requests.map((request) => request.ids.length)).to.deep.equal([10, 10, 5])
      expect(receiver.taken()).to.deep.equal(ids(25))
    })

    it('waits for a batch to fill as long as flush_interval says, and not at all on a flush', async () => {
      const receiver = await rig.receiver()
      const worker = rig.start(testDestination(7, 'hook', { url: receiver.url, batch: true, batch_size: 10, flush_interval: '30s' }))
      await append(ids(3, 'a'))
      await append(ids(3, 'b'))
      await pause(100)
      expect(receiver.requests).to.have.length(0)
      worker.flush()
      await settled(6)
      expect(receiver.requests.map((request) => request.ids)).to.deep.equal([['a0', 'a1', 'a2', 'b0', 'b1', 'b2']])
      await append(ids(10, 'c'))
      await settled(16)
    })

    it('continues at the cursor after a restart', async () => {
      const receiver = await rig.receiver()
      const first = rig.start(testDestination(7, 'hook', { url: receiver.url }))
      await append(ids(5, 'a'))
      await settled(5)
      await first.stop()
      await append(ids(5, 'b'))
      rig.start(testDestination(7, 'hook', { url: receiver.url }))
      await settled(10)
      expect(receiver.taken().sort()).to.deep.equal([...ids(5, 'a'), ...ids(5, 'b')])
    })

    it('retries a temporary failure until it succeeds, with the same message id', async () => {
      const answers = [500, 'reset', { status: 429, headers: { 'retry-after': '0' } }, 503, 200] as const
      const receiver = await rig.receiver((_request, index) => answers[index] ?? 200)
      rig.start(testDestination(7, 'hook', { url: receiver.url }))
      await append(['m'])
      await settled(1)
      expect(receiver.requests.map((request) => request.headers['webhook-id'])).to.deep.equal(Array(5).fill('m'))
      expect(await rig.counts(7)).to.equal('1 1 0')
      await until(async () => (await rig.cursor(7))?.failingSince === undefined, 'the end of the failure')
    })

    it('waits as long as Retry-After says, for the whole destination', async () => {
      const receiver = await rig.receiver((_request, index) => (index === 0 ? { status: 429, headers: { 'retry-after': '1' } } : 200))
      rig.start(testDestination(7, 'hook', { url: receiver.url }))
      await append(['m0'], { user_id: 'a' })
      await until(() => receiver.requests.length === 1)
      await append(['m1'], { user_id: 'b' })
      await settled(2)
      const [first = 0, ...others] = receiver.requests.map((request) => request.at)
      for (const at of others) expect(at - first).to.be.within(950, 2500)
    })

    it('makes a dead letter of a single event that is refused, without a second attempt', async () => {
      const receiver = await rig.receiver((request) => (request.ids[0] === 'm1' ? { status: 400, body: 'no such plan' } : 200))
      rig.start(testDestination(7, 'hook', { url: receiver.url }))
      await append(ids(3))
      await settled(3)
      expect(receiver.requests).to.have.length(3)
      const [letter] = await rig.deadLetters()
      expect(letter).to.include({ messageId: 'm1', code: 'rejected', attempts: 1, destination: 'hook', source: 'web' })
      expect(letter?.reason).to.contain('400').and.to.contain('no such plan')
      expect(await rig.counts(7)).to.equal('3 2 1')
    })

    it('gives up when the time budget is spent', async () => {
      const receiver = await rig.receiver(() => 500)
      await append(['m'])
      rig.start(testDestination(7, 'hook', { url: receiver.url }), { random: () => 0.01 })
      await until(() => receiver.requests.length >= 3)
      rig.clock.offsetMs = 61_000
      await settled(1)
      expect((await rig.deadLetters())[0]).to.include({ code: 'expired' })
      expect((await rig.deadLetters())[0]?.attempts).to.be.greaterThan(2)
    })

    it('bisects a batch that is refused without saying which event is at fault', async () => {
      const receiver = await rig.receiver((request) => (request.ids.includes('m3') || request.ids.includes('m12') ? 422 : 200))
      await append(ids(16))
      rig.start(testDestination(7, 'hook', { url: receiver.url, batch: true, batch_size: 16 }))
      await settled(16)
      expect((await rig.deadLetters()).map((letter) => letter.messageId)).to.deep.equal(['m3', 'm12'])
      expect(receiver.taken()).to.deep.equal(ids(16).filter((id) => id !== 'm3' && id !== 'm12'))
    })

    it('splits a batch that is too large, down to the one event that is too large alone', async () => {
      const receiver = await rig.receiver((request) => (request.ids.length > 3 || request.ids.includes('m5') ? 413 : 200))
      await append(ids(10))
      rig.start(testDestination(7, 'hook', { url: receiver.url, batch: true, batch_size: 10 }))
      await settled(10)
      expect((await rig.deadLetters()).map((letter) => [letter.messageId, letter.code])).to.deep.equal([['m5', 'too_large']])
      expect(receiver.taken()).to.have.length(9)
    })

    for (const status of [301, 401, 403, 404, 410]) {
      it(`halts on ${status}, keeps the events, and resumes on a new generation`, async () => {
        const receiver = await rig.receiver(() => ({ status, headers: { location: '/' } }))
        const halted = rig.start(testDestination(7, 'hook', { url: receiver.url }))
        await append(ids(3), { user_id: 'u' })
        await until(async () => (await rig.cursor(7))?.haltedGeneration === 1, 'the halt')
        expect((await rig.cursor(7))?.haltedReason).to.contain(String(status))
        await halted.stop()
        rig.start(testDestination(7, 'hook', { url: receiver.url }))
        await pause(100)
        expect(receiver.requests).to.have.length(1)
        receiver.answer = () => 200
        rig.start({ ...testDestination(7, 'hook', { url: receiver.url }), generation: 2 })
        await settled(3)
        expect(receiver.taken()).to.deep.equal(ids(3))
        expect((await rig.cursor(7))?.haltedGeneration).to.equal(undefined)
        expect(await rig.deadLetters()).to.deep.equal([])
      })
    }

    it('does not deliver while the destination is paused', async () => {
      const receiver = await rig.receiver()
      rig.start({ ...testDestination(7, 'hook', { url: receiver.url }), pausedAt: 1 })
      await append(ids(3))
      await pause(100)
      expect(receiver.requests).to.have.length(0)
    })

    it('halts when the stored settings are no longer accepted, and names the key but no secret', async () => {
      rig.start(testDestination(7, 'hook', { url: 'http://x.test/', api_key: 'top-secret', colour: 'red' }))
      await until(async () => (await rig.cursor(7))?.haltedGeneration === 1, 'the halt')
      expect((await rig.cursor(7))?.haltedReason).to.contain('colour').and.not.to.contain('top-secret')
    })

    it('keeps secrets out of the reasons that are stored', async () => {
      const receiver = await rig.receiver((request) => ({ status: 400, body: `bad key ${request.headers.authorization}` }))
      rig.start(testDestination(7, 'hook', { url: receiver.url, api_key: 'top-secret' }))
      await append(['m'])
      await settled(1)
      expect((await rig.deadLetters())[0]?.reason).to.contain('bad key Bearer ********')
    })

    it('isolates an event that its encoder cannot take', async () => {
      const receiver = await rig.receiver()
      rig.start(testDestination(7, 'hook', { url: receiver.url, batch: true, batch_size: 10 }))
      await rig.log.append([newEvent('m0', [7]), { ...newEvent('poison', [7]), event: '{"type":' }, newEvent('m1', [7])])
      await settled(3)
      expect(receiver.taken()).to.deep.equal(['m0', 'm1'])
      expect((await rig.deadLetters()).map((letter) => [letter.messageId, letter.code])).to.deep.equal([['poison', 'encoder_failed']])
    })

    it('passes over types that the destination does not want, and counts them as delivered', async () => {
      const receiver = await rig.receiver()
      rig.start(testDestination(7, 'hook', { url: receiver.url, types: ['identify'] }))
      await append(['t'])
      await append(['i'], { type: 'identify' })
      await settled(2)
      expect(receiver.taken()).to.deep.equal(['i'])
      expect(await rig.counts(7)).to.equal('2 2 0')
    })

    it('does not delay a healthy destination while another hangs', async () => {
      const hanging = await rig.receiver(() => 'hang')
      const healthy = await rig.receiver()
      rig.start(testDestination(8, 'slow', { url: hanging.url }))
      rig.start(testDestination(7, 'hook', { url: healthy.url }))
      await rig.log.append(ids(20).map((id) => newEvent(id, [7, 8])))
      await settled(20)
      expect(await rig.counts(8)).to.equal('20 0 0')
    })

    it('never has two events of one user in flight, while events of others pass', async () => {
      const open = new Map<string, number>()
      let overlaps = 0
      let peak = 0
      const receiver = await rig.receiver(async (request) => {
        const user = (JSON.parse(request.body) as { user_id: string }).user_id
        if (open.get(user)) overlaps += 1
        open.set(user, (open.get(user) ?? 0) + 1)
        peak = Math.max(peak, [...open.values()].reduce((a, b) => a + b, 0))
        await pause(5)
        open.set(user, (open.get(user) ?? 0) - 1)
        return 200
      })
      await rig.log.append(Array.from({ length: 60 }, (_, n) => newEvent(`m${n}`, [7], { user_id: `u${n % 3}` })))
      rig.start(testDestination(7, 'hook', { url: receiver.url }))
      await settled(60)
      expect(overlaps).to.equal(0)
      expect(peak).to.equal(3)
    })

    it('has four full requests in flight while enough waits, once a destination has taken something', async () => {
      const release = Promise.withResolvers<number>()
      const receiver = await rig.receiver((_request, index) => (index === 0 ? 200 : release.promise))
      await rig.log.append(Array.from({ length: 4000 }, (_, n) => newEvent(`m${n}`, [7], { user_id: `u${n}` })))
      rig.start(testDestination(7, 'hook', { url: receiver.url, batch: true, batch_size: 500 }))
      await until(() => receiver.requests.length === 5, 'four requests at once')
      expect(receiver.requests.map(({ ids }) => ids.length)).to.deep.equal([500, 500, 500, 500, 500])
      release.resolve(200)
      await settled(4000)
    })

    it('keeps the order of a user through failures', async () => {
      const receiver = await rig.receiver(() => (Math.random() < 0.3 ? 503 : 200))
      const events = Array.from({ length: 200 }, (_, n) => newEvent(`u${n % 10}-${String(n).padStart(4, '0')}`, [7], { user_id: `u${n % 10}` }))
      await rig.log.append(events)
      rig.start(testDestination(7, 'hook', { url: receiver.url }))
      await settled(200)
      for (let user = 0; user < 10; user += 1) {
        const mine = receiver.taken().filter((id) => id.startsWith(`u${user}-`))
        expect(mine).to.deep.equal([...mine].sort())
      }
    })

    it('attempts everything at once on a flush, each event once', async () => {
      let isDown = true
      const receiver = await rig.receiver(() => (isDown ? { status: 503, headers: { 'retry-after': '200' } } : 200))
      const worker = rig.start(testDestination(7, 'hook', { url: receiver.url }), { random: () => 1, retryForMs: () => 3_600_000 })
      await append(ids(20))
      await until(() => receiver.requests.length >= 1)
      await pause(50)
      isDown = false
      worker.flush()
      await settled(20)
      expect([...receiver.taken()].sort()).to.deep.equal(ids(20).sort())
    })

    it('stops within its bound though a request hangs, and the event goes out after the next start', async () => {
      const receiver = await rig.receiver(() => 'hang')
      const worker = rig.start(testDestination(7, 'hook', { url: receiver.url }))
      await append(['m'])
      await until(() => receiver.requests.length === 1)
      const from = Date.now()
      await worker.stop()
      expect(Date.now() - from).to.be.lessThan(1500)
      receiver.answer = () => 200
      rig.start(testDestination(7, 'hook', { url: receiver.url }))
      await settled(1)
      expect(await rig.counts(7)).to.equal('1 1 0')
    })

    it('waits for the request in flight when it stops, and settles it', async () => {
      const receiver = await rig.receiver(async () => (await pause(100), 200))
      const worker = rig.start(testDestination(7, 'hook', { url: receiver.url }))
      await append(['m'])
      await until(() => receiver.requests.length === 1)
      await worker.stop()
      expect(await rig.counts(7)).to.equal('1 1 0')
      expect(await rig.log.claim({ destinationId: 7, token: 'other' }, 100)).to.include({ position: 1 })
    })

    it('takes over from a worker that died once its lease has run out', async () => {
      const receiver = await rig.receiver()
      await rig.log.claim({ destinationId: 7, token: 'of a dead process' }, 400)
      await append(['m'])
      const from = Date.now()
      rig.start(testDestination(7, 'hook', { url: receiver.url }))
      await settled(1)
      expect(Date.now() - from).to.be.within(300, 2000)
    })

    it('settles nothing and stops sending once another worker took over', async () => {
      let release = (): void => undefined
      const held = new Promise<void>((resolve) => (release = resolve))
      const receiver = await rig.receiver(async () => (await held, 200))
      rig.start(testDestination(7, 'hook', { url: receiver.url }), { timing: { leaseMs: 60_000, pollMs: 50, drainMs: 100 } })
      await append(ids(2), { user_id: 'u' })
      await until(() => receiver.requests.length === 1)
      rig.clock.offsetMs = 61_000
      const other = { destinationId: 7, token: 'other' }
      expect(await rig.log.claim(other, 60_000)).to.include({ position: 0 })
      release()
      await pause(150)
      expect(await rig.counts(7)).to.equal('2 0 0')
      expect(receiver.requests).to.have.length(1)
      expect(await rig.cursor(7)).to.include({ position: 0 })
    })

    it('signs exactly what it sends, in a way that the standardwebhooks library verifies', async () => {
      const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
      const receiver = await rig.receiver()
      rig.start(testDestination(7, 'hook', { url: receiver.url, signing_secret: secret, batch: true, batch_size: 5 }))
      await append(ids(3), { properties: { name: 'é✓' } })
      await append(['wéird id\n✓'])
      await settled(4)
      for (const request of receiver.requests) {
        expect(new Webhook(secret).verify(request.body, request.headers as Record<string, string>)).to.be.an('array')
        expect(() => new Webhook(secret).verify(request.body + ' ', request.headers as Record<string, string>)).to.throw()
      }
    })

    it('accounts for every event through a random run of failures, flushes and restarts', async () => {
      const receiver = await rig.receiver((request) => {
        const roll = Math.random()
        if (request.ids.some((id) => /7$/.test(id))) return 400
        return roll < 0.15 ? 503 : roll < 0.2 ? 'reset' : roll < 0.3 && request.ids.length > 1 ? 413 : 200
      })
      const config = { url: receiver.url, batch: true, batch_size: 8 }
      let worker = rig.start(testDestination(7, 'hook', config))
      for (let round = 0; round < 12; round += 1) {
        await Promise.all(ids(25, `r${round}-`).map((id) => rig.log.append([newEvent(id, [7], { user_id: `u${Math.floor(Math.random() * 9)}` })])))
        if (round % 3 === 1) worker.flush()
        if (round % 4 === 2) {
          await worker.stop()
          worker = rig.start(testDestination(7, 'hook', config))
        }
        const [accepted, delivered, dead] = (await rig.counts(7)).split(' ').map(Number)
        expect(Number(delivered) + Number(dead)).to.be.at.most(Number(accepted))
      }
      await settled(300)
      expect(await rig.counts(7)).to.equal('300 276 24')
      const letters = new Set((await rig.deadLetters()).map((letter) => letter.messageId))
      expect(letters.size).to.equal(24)
      const taken = new Set(receiver.taken())
      expect([...taken].filter((id) => letters.has(id))).to.deep.equal([])
      expect(taken.size).to.equal(276)
    })
  })
})
