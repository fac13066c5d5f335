import { expect } from 'chai'
import { classifyAnswer } from '../../../src/relay/delivery/outcome.ts'
import { nextAttempt, readRetryAfter } from '../../../src/relay/delivery/backoff.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

/** What becomes of one event, and of a batch, by status. */
const LAW: [number, string, string][] = [
  [200, 'ok', 'ok'], [201, 'ok', 'ok'], [204, 'ok', 'ok'],
  [301, 'halt', 'halt'], [302, 'halt', 'halt'], [307, 'halt', 'halt'], [308, 'halt', 'halt'],
  [400, 'reject', 'bisect'], [401, 'halt', 'halt'], [402, 'halt', 'halt'], [403, 'halt', 'halt'], [404, 'halt', 'halt'],
  [405, 'reject', 'bisect'], [408, 'retry', 'retry'], [409, 'reject', 'bisect'], [410, 'halt', 'halt'], [413, 'reject', 'split'],
  [415, 'reject', 'bisect'], [418, 'reject', 'bisect'], [422, 'reject', 'bisect'], [425, 'retry', 'retry'], [429, 'retry', 'retry'],
  [500, 'retry', 'retry'], [501, 'reject', 'reject'], [502, 'retry', 'retry'], [503, 'retry', 'retry'], [504, 'retry', 'retry'],
  [505, 'reject', 'reject'], [520, 'retry', 'retry'], [524, 'retry', 'retry'], [529, 'retry', 'retry'],
]

function verdict(status: number, items: number): string {
  const outcome = classifyAnswer({ status, headers: {}, body: '' }, items, NOW)
  return outcome.kind === 'all' ? outcome.result.kind : outcome.kind
}

describe('the default classifier', () => {
  for (const [status, one, many] of LAW) {
    it(`answers ${status} with ${one} for one event and ${many} for several`, () => {
      expect([verdict(status, 1), verdict(status, 5)]).to.deep.equal([one, many])
    })
  }

  it('passes on how long the vendor asks to wait', () => {
    expect(classifyAnswer({ status: 429, headers: { 'retry-after': '7' }, body: 'slow  down\n' }, 1, NOW)).to.deep.equal({
      kind: 'all',
      result: { kind: 'retry', message: 'answered 429: slow down', afterMs: 7000 },
    })
  })
})

describe('reading Retry-After', () => {
  const read = (text: string, name = 'retry-after') => readRetryAfter({ [name]: text }, NOW)

  it('understands seconds and dates', () => {
    expect(read('0')).to.equal(0)
    expect(read('120')).to.equal(120_000)
    expect(read('Sat, 21 Nov 2026 12:01:30 GMT')).to.equal(90_000)
    expect(read('Sat, 21 Nov 2026 11:00:00 GMT')).to.equal(0)
  })

  it('understands the spellings of other vendors, and nothing else', () => {
    expect(read('3', 'x-ratelimit-retry-after')).to.equal(3000)
    expect(read('3', 'x-ratelimit-reset')).to.equal(3000)
    expect(read('3', 'ratelimit-reset')).to.equal(3000)
    for (const text of ['', 'soon', '-1', '1e9', '99999999999']) expect(read(text), text).to.equal(undefined)
  })
})

describe('the retry law', () => {
  const at = (attempt: number, given: Partial<Parameters<typeof nextAttempt>[0]> = {}) =>
    nextAttempt({ attempt, now: NOW, failingSince: NOW, retryForMs: 72 * 3_600_000, random: () => 1, ...given })

  it('doubles its bound from half a second to a minute', () => {
    const bounds = Array.from({ length: 10 }, (_, n) => at(n + 1)).map((next) => next.kind === 'wait' && next.delayMs)
    expect(bounds).to.deep.equal([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
    expect(at(5000)).to.deep.equal({ kind: 'wait', delayMs: 60_000 })
  })

  it('draws from the whole range below the bound', () => {
    expect(at(4, { random: () => 0 })).to.deep.equal({ kind: 'wait', delayMs: 0 })
    expect(at(4, { random: () => 0.25 })).to.deep.equal({ kind: 'wait', delayMs: 1000 })
  })

  it('waits at least as long as the vendor asks, up to five minutes', () => {
    expect(at(1, { afterMs: 20_000 })).to.deep.equal({ kind: 'wait', delayMs: 20_000 })
    expect(at(8, { afterMs: 20_000 })).to.deep.equal({ kind: 'wait', delayMs: 60_000 })
    expect(at(1, { afterMs: 86_400_000 })).to.deep.equal({ kind: 'wait', delayMs: 300_000 })
  })

  it('gives up by time and not by count', () => {
    expect(at(3, { failingSince: NOW - 72 * 3_600_000 + 2000 }).kind).to.equal('wait')
    expect(at(3, { failingSince: NOW - 72 * 3_600_000 + 1999 }).kind).to.equal('give_up')
    expect(at(100_000).kind).to.equal('wait')
  })
})
