import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { until } from '../relay/support/relay-database.ts'
import { amount } from '../support/amount.ts'
import { onEachEngine } from '../support/database.ts'
import { startHonestLoad } from '../support/honest-load.ts'
import type { HonestLoad } from '../support/honest-load.ts'
import { hasMariadb } from '../support/own-mariadb.ts'
import { startRelayUnderTest } from '../support/relay-under-test.ts'
import type { RelayUnderTest } from '../support/relay-under-test.ts'
import { stoppable } from '../support/stoppable-database.ts'
import type { Stoppable } from '../support/stoppable-database.ts'

const STOPS = amount('R8_STOPS', 1, 10)
const READY_WITHIN_MS = 10_000

async function isReady(relay: RelayUnderTest): Promise<boolean> {
  return (await relay.client.call('GET', '/v1/ready')).status === 200
}

async function expectHonesty(relay: RelayUnderTest, load: HonestLoad): Promise<void> {
  const statuses = Object.fromEntries(load.statuses)
  expect(Object.keys(statuses).filter((status) => status !== '202' && status !== '503'), `${JSON.stringify(statuses)}\n${relay.service.output()}`).to.deep.equal([])
  expect(load.rude, '503 without Retry-After').to.equal(0)
  expect(await load.missing(), `of ${load.acknowledged.size} acknowledged`).to.deep.equal([])
}

onEachEngine((engine) => {
  describe('a database that stops under load', function () {
    this.timeout(90_000 + STOPS * 40_000)
    let database: Stoppable
    let relay: RelayUnderTest

    before(async function () {
      if (engine === 'mariadb' && !hasMariadb()) {
        console.warn('      skipped: mariadbd is not installed')
        this.skip()
      }
      database = await stoppable(engine)
      // What the database takes away is removed below, when nobody uses it any more.
      relay = await startRelayUnderTest(engine, { home: { ...database.home, remove: async () => undefined }, settings: { batch: true, batch_size: 100 } })
    })
    after(async () => {
      await relay?.close()
      await database?.remove()
    })

    it(`is answered with 503 and Retry-After, and nothing acknowledged is lost, ${STOPS} times; ready again within 10 s`, async () => {
      const load = startHonestLoad(relay)
      const recoveries: number[] = []
      for (let stop = 0; stop < STOPS; stop++) {
        await sleep(300)
        const refusedBefore = load.refused()
        await database.stop()
        const stoppedAt = Date.now()
        await until(() => load.refused() > refusedBefore, 'the first refusal', 15_000)
        await until(async () => !(await isReady(relay)), 'the word of it at /v1/ready', 5000)
        await sleep(500)
        const acknowledgedBefore = load.acknowledged.size
        await database.start()
        const startedAt = Date.now()
        await until(() => isReady(relay), `being ready again, ${startedAt - stoppedAt} ms after it stopped`, READY_WITHIN_MS)
        await until(() => load.acknowledged.size > acknowledgedBefore, 'the next 202', READY_WITHIN_MS)
        recoveries.push(Date.now() - startedAt)
      }
      await sleep(300)
      await load.stop()
      expect(Math.max(...recoveries), `ms to recover: ${recoveries.join(', ')}`).to.be.lessThan(READY_WITHIN_MS)
      await expectHonesty(relay, load)
      expect(load.acknowledged.size).to.be.greaterThan(STOPS * 20)
    })
  })
})

describe('a disk that is full, on SQLite', function () {
  this.timeout(90_000)
  let relay: RelayUnderTest

  before(async function () {
    try {
      execFileSync('prlimit', ['--version'], { stdio: 'ignore' })
    } catch {
      console.warn('      skipped: prlimit is not installed')
      this.skip()
    }
    relay = await startRelayUnderTest('sqlite', { settings: { batch: true, batch_size: 100 } })
  })
  after(() => relay?.close())

  // A bound of the process on the length of files: each write past it fails, as it does on a full disk.
  const bound = (bytes: string) => execFileSync('prlimit', [`--fsize=${bytes}:unlimited`, `--pid=${relay.service.child.pid}`])

  it('is answered with 503 and Retry-After, nothing acknowledged is lost, and it ends when there is room', async () => {
    const load = startHonestLoad(relay)
    await sleep(300)
    bound('200000')
    await until(() => load.refused() > 0, 'the first refusal', 15_000)
    await sleep(1500)
    const acknowledgedBefore = load.acknowledged.size
    bound('unlimited')
    await until(() => isReady(relay), 'being ready again', READY_WITHIN_MS)
    await until(() => load.acknowledged.size > acknowledgedBefore, 'the next 202', READY_WITHIN_MS)
    await sleep(300)
    await load.stop()
    await expectHonesty(relay, load)
  })
})
