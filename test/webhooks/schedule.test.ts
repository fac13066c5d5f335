import { expect } from 'chai'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/duration.ts'
import { DISABLE_AFTER_MS, judgeAttempt } from '../../src/webhooks/schedule.ts'

const WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]
const SUCCESSES = [200, 201, 202, 204, 299]
const FAILURES = [0, 100, 101, 199, 300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 501, 502, 503, 504, 599]

describe('judgeAttempt', () => {
  for (const status of SUCCESSES) {
    it(`takes ${status} for success, at the first attempt and after 200 days of failure`, () => {
      expect(judgeAttempt({ status, attempts: 1, failingForMs: 0, random: 0 })).to.deep.equal({ kind: 'delivered' })
      expect(judgeAttempt({ status, attempts: 8, failingForMs: 200 * DAY, random: 0.5 })).to.deep.equal({ kind: 'delivered' })
    })
  }

  for (const status of FAILURES) {
    it(`takes ${status} for a failure that is tried again`, () => {
      expect(judgeAttempt({ status, attempts: 1, failingForMs: 0, random: 0 })).to.deep.equal({ kind: 'retry', afterMs: 5 * SECOND })
    })
  }

  WAITS_MS.forEach((waitMs, index) => {
    it(`waits ${waitMs / SECOND} s after attempt ${index + 1}, and up to a tenth longer`, () => {
      const after = (random: number) => judgeAttempt({ status: 500, attempts: index + 1, failingForMs: HOUR, random })
      expect(after(0)).to.deep.equal({ kind: 'retry', afterMs: waitMs })
      expect(after(0.5)).to.deep.equal({ kind: 'retry', afterMs: waitMs * 1.05 })
      expect((after(0.999999) as { afterMs: number }).afterMs).to.be.within(waitMs, waitMs * 1.1)
    })
  })

  it('gives a delivery up after the eighth attempt, 27 to 31 hours after the first', () => {
    expect(judgeAttempt({ status: 500, attempts: 8, failingForMs: 28 * HOUR, random: 0 })).to.deep.equal({ kind: 'failed' })
    expect(judgeAttempt({ status: 500, attempts: 9, failingForMs: 28 * HOUR, random: 0 })).to.deep.equal({ kind: 'failed' })
    const totalMs = (random: number) => WAITS_MS.reduce((sum, _wait, index) => sum + (judgeAttempt({ status: 500, attempts: index + 1, failingForMs: 0, random }) as { afterMs: number }).afterMs, 0)
    expect(totalMs(0)).to.be.greaterThan(27 * HOUR)
    expect(totalMs(1)).to.be.lessThan(31 * HOUR)
  })

  it('disables at once on 410, whatever the attempt', () => {
    for (const attempts of [1, 4, 8]) expect(judgeAttempt({ status: 410, attempts, failingForMs: 0, random: 0 })).to.deep.equal({ kind: 'disable', reason: 'the receiver answered 410 Gone' })
  })

  it('disables after 120 hours of failure and not a minute before', () => {
    expect(DISABLE_AFTER_MS).to.equal(120 * HOUR)
    const after = (failingForMs: number, attempts = 3) => judgeAttempt({ status: 500, attempts, failingForMs, random: 0 }).kind
    expect(after(119 * HOUR + 59 * MINUTE)).to.equal('retry')
    expect(after(120 * HOUR - 1)).to.equal('retry')
    expect(after(120 * HOUR)).to.equal('disable')
    expect(after(121 * HOUR)).to.equal('disable')
    expect(after(120 * HOUR - 1, 8)).to.equal('failed')
    expect(after(120 * HOUR, 8)).to.equal('disable')
  })
})
