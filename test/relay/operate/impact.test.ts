import { expect } from 'chai'
import { appendGroup } from '../../../src/relay/log/append-group.ts'
import { measureImpact } from '../../../src/relay/operate/impact.ts'
import type { Candidate } from '../../../src/relay/operate/impact.ts'
import { onEachEngine } from '../../support/database.ts'
import { FAULT } from '../support/accepting.ts'
import { createRelayDatabase, newEvent } from '../support/relay-database.ts'
import type { RelayDatabase } from '../support/relay-database.ts'

const EVENTS = 10_400
const PER_TRANSACTION = 1300

/** Refuses every event of its name. */
const candidate = (given: Partial<Candidate> = {}): Candidate => ({ type: 'track', names: ['Signed Up'], isSentBy: () => true, validate: () => [FAULT], ...given })

onEachEngine((engine) => {
  describe('the impact of a candidate', function () {
    this.timeout(60_000)
    let database: RelayDatabase

    before(async () => {
      database = await createRelayDatabase(engine)
      for (let done = 0; done < EVENTS; done += PER_TRANSACTION) {
        await appendGroup(database.db, [Array.from({ length: PER_TRANSACTION }, (_, index) => newEvent(`event-${done + index}`, []))])
      }
    })
    after(() => database.remove())

    it('is read from the 10,000 newest events, and says that there are more', async () => {
      const impact = await measureImpact({ relayDb: database.db, now: () => 0 }, candidate())
      expect(impact).to.include({ scanned: 10_000, checked: 10_000, refused: 10_000, limitedBy: 'events' })
      const [source] = impact.sources
      expect(source?.samples.map(({ messageId }) => messageId)).to.deep.equal([1, 2, 3, 4, 5].map((back) => `event-${EVENTS - back}`))
    })

    it('ends after 2 s with what it has seen, and says so', async () => {
      let now = 0
      const impact = await measureImpact({ relayDb: database.db, now: () => (now += 600) }, candidate())
      expect(impact.limitedBy).to.equal('time')
      expect(impact.scanned).to.be.greaterThan(0).and.lessThan(10_000)
    })

    it('gives way to other requests while it judges', async () => {
      const SLOW_MS = 3
      let judged = 0
      let mostInOneTurn = 0
      let atLastTurn = 0
      const watch = setInterval(() => {
        mostInOneTurn = Math.max(mostInOneTurn, judged - atLastTurn)
        atLastTurn = judged
      }, 0)
      const validate = () => {
        judged += 1
        const until = performance.now() + SLOW_MS
        while (performance.now() < until) judged += 0
        return []
      }
      // By the clock of the search no time passes, until it has seen enough.
      await measureImpact({ relayDb: database.db, now: () => (judged < 300 ? 0 : 5000) }, candidate({ validate }))
      clearInterval(watch)
      expect(judged).to.be.at.least(300)
      expect(mostInOneTurn).to.be.at.least(1).and.lessThan(20)
    })
  })
})
