import { expect } from 'chai'
import { listDeadLetters, replayDeadLetters } from '../../../src/relay/operate/dead-letters.ts'
import { onEachEngine } from '../../support/database.ts'
import { until } from '../support/relay-database.ts'
import type { Answer, Receiver } from '../support/receiver.ts'
import { createRelayRig } from '../support/relay-rig.ts'
import type { RelayRig } from '../support/relay-rig.ts'
import { testDestination, testSource } from '../support/snapshot.ts'

const OPERATOR = { keyId: 1, name: 'on-call', role: 'admin' as const }
// Attempts at 0, 0.5, 1.5 and 3.5 s; the next one, at 7.5 s, would be past the budget.
const RETRY_FOR_MS = 6000
const BACKOFF_MS = [500, 1000, 2000]
// Timers of the system may fire a little early.
const EARLY_MS = 5

/** How an answer is to be taken: `gaps` are the shortest times between attempts. */
interface Law {
  name: string
  answer: () => Answer
  end: 'delivered' | 'dead' | 'kept'
  gaps: number[]
}

const always = (status: number, headers: Record<string, string> = {}): (() => Answer) => () => ({ status, headers })
const inThreeSeconds = (): Answer => ({ status: 429, headers: { 'retry-after': new Date(Date.now() + 3000).toUTCString() } })

const LAWS: Law[] = [
  ...[200, 204].map((status): Law => ({ name: String(status), answer: always(status), end: 'delivered', gaps: [] })),
  ...[301, 401, 404, 410].map((status): Law => ({ name: String(status), answer: always(status), end: 'kept', gaps: [] })),
  ...[400, 413].map((status): Law => ({ name: String(status), answer: always(status), end: 'dead', gaps: [] })),
  ...[408, 429, 500, 503].map((status): Law => ({ name: String(status), answer: always(status), end: 'dead', gaps: BACKOFF_MS })),
  { name: 'reset', answer: () => 'reset', end: 'dead', gaps: BACKOFF_MS },
  { name: '429 with seconds', answer: always(429, { 'retry-after': '1' }), end: 'dead', gaps: [1000, 1000, 2000] },
  // A date has no milliseconds, so it may be up to a second sooner.
  { name: '429 with a date', answer: inThreeSeconds, end: 'dead', gaps: [2000, 2000] },
]

onEachEngine((engine) => {
  describe('the law of attempts', function () {
    this.timeout(40_000)
    let rig: RelayRig
    beforeEach(async () => {
      rig = await createRelayRig(engine)
    })
    afterEach(() => rig.close())

    it(`holds for ${LAWS.map(({ name }) => name).join(', ')}; what is dead arrives after a replay`, async () => {
      const receivers: Receiver[] = []
      for (const law of LAWS) receivers.push(await rig.receiver(law.answer))
      rig.registry.destinations = LAWS.map((_, index) => testDestination(index + 1, `d${index}`, { url: receivers[index]?.url }))
      rig.registry.sources.push(testSource('web', rig.registry.destinations.map(({ name }) => name)))
      rig.registry.settings = { ...rig.registry.settings, relayRetryForMs: RETRY_FOR_MS }
      // The whole of the bound each time: the jitter is at its highest.
      rig.deps.random = () => 1
      rig.supervise()
      await rig.send([{ type: 'track', event_name: 'E', message_id: 'm', user_id: 'u' }])

      const outcome = { delivered: '1 1 0', dead: '1 0 1', kept: '1 0 0' }
      const isLawful = async () => (await Promise.all(LAWS.map(async ({ end }, index) => (await rig.counts(index + 1)) === outcome[end]))).every(Boolean)
      await until(isLawful, 'every law being obeyed', 20_000)
      for (const [index, { name, gaps, end }] of LAWS.entries()) {
        const times = (receivers[index] as Receiver).requests.map(({ at }) => at)
        expect(times.length, `attempts of ${name}`).to.equal(gaps.length + 1)
        gaps.forEach((gap, n) => expect((times[n + 1] as number) - (times[n] as number), `${n + 1}. gap of ${name}`).to.be.at.least(gap - EARLY_MS))
        expect((await rig.cursor(index + 1))?.haltedGeneration, `halt of ${name}`).to.equal(end === 'kept' ? 1 : undefined)
      }

      const dead = LAWS.filter(({ end }) => end === 'dead').length
      expect(await listDeadLetters(rig.operate, { limit: 100 })).to.have.length(dead)
      for (const receiver of receivers) receiver.answer = () => 200
      expect(await replayDeadLetters(rig.operate, OPERATOR, {})).to.deep.equal({ replayed: dead, skipped: 0 })
      await until(async () => (await Promise.all(LAWS.map(async ({ end }, index) => end !== 'dead' || (await rig.counts(index + 1)) === '1 1 0'))).every(Boolean), 'the replayed ones', 10_000)
      expect(await listDeadLetters(rig.operate, { limit: 100 })).to.deep.equal([])
    })
  })
})
