import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { onEachEngine } from '../support/database.ts'
import { hasMariadb } from '../support/own-mariadb.ts'
import { startRelayUnderTest } from '../support/relay-under-test.ts'
import type { RelayUnderTest } from '../support/relay-under-test.ts'
import { stoppable } from '../support/stoppable-database.ts'
import type { Stoppable } from '../support/stoppable-database.ts'

const TOLD_WITHIN_MS = 2000
const WATCHED_MS = 6000

/** One answer of health or readiness: how long after the database stopped it came. */
interface Answer {
  path: string
  status: number
  afterMs: number
}

onEachEngine((engine) => {
  describe('health', function () {
    this.timeout(90_000)
    let database: Stoppable
    let relay: RelayUnderTest

    beforeEach(async function () {
      if (engine === 'mariadb' && !hasMariadb()) {
        console.warn('      skipped: mariadbd is not installed')
        this.skip()
      }
      database = await stoppable(engine)
      relay = await startRelayUnderTest(engine, { home: { ...database.home, remove: async () => undefined } })
    })
    afterEach(async () => {
      await relay?.close()
      await database?.remove()
    })

    /** Asks ten times a second, from before the database goes away until long after. */
    const watch = async (goAway: () => Promise<void>): Promise<Answer[]> => {
      const answers: Answer[] = []
      let stoppedAt = Number.POSITIVE_INFINITY
      const asking: Promise<void>[] = []
      const ask = async (path: string) => {
        const { status } = await relay.client.call('GET', path)
        answers.push({ path, status, afterMs: Date.now() - stoppedAt })
      }
      const poll = setInterval(() => asking.push(ask('/v1/health'), ask('/v1/ready')), 100)
      await sleep(700)
      await goAway()
      stoppedAt = Date.now()
      await sleep(WATCHED_MS)
      clearInterval(poll)
      await Promise.all(asking)
      return answers
    }

    // What holds SQLite's lock neither answers nor goes away: for it the two are one.
    for (const way of engine === 'sqlite' ? (['stop'] as const) : (['stop', 'freeze'] as const)) {
      it(`tells within ${TOLD_WITHIN_MS} ms that the database was lost (${way})`, async () => {
        const answers = await watch(() => database[way]())
        // Whoever is asked must be able to come to an end.
        if (way === 'freeze' && engine === 'mariadb') await database.stop()
        await database.start()
        for (const path of ['/v1/health', '/v1/ready']) {
          const of = answers.filter((answer) => answer.path === path)
          expect(of.filter(({ afterMs }) => afterMs < 0).map(({ status }) => status), 'before').to.include(200).and.not.to.include(503)
          const lastGood = Math.max(...of.filter(({ status }) => status === 200).map(({ afterMs }) => afterMs))
          const firstBad = Math.min(...of.filter(({ status }) => status === 503).map(({ afterMs }) => afterMs))
          expect(lastGood, `ms after which ${path} still said 200`).to.be.lessThan(TOLD_WITHIN_MS)
          expect(firstBad, `ms until ${path} said 503`).to.be.lessThan(TOLD_WITHIN_MS)
        }
      })
    }
  })
})
