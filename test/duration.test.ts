import { expect } from 'chai'
import fc from 'fast-check'
import { DAY, HOUR, MINUTE, SECOND, YEAR, formatDuration, parseDuration } from '../src/duration.ts'
import { SignalbookError } from '../src/error.ts'

describe('parseDuration', () => {
  const GOOD: [text: string, ms: number][] = [
    ['1s', 1000],
    ['90s', 90_000],
    ['5m', 300_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['90d', 7_776_000_000],
    ['1y', 31_536_000_000],
    ['100y', 3_153_600_000_000],
    ['36500d', 3_153_600_000_000],
    ['3153600000s', 3_153_600_000_000],
  ]
  for (const [text, ms] of GOOD) {
    it(`reads ${text} as ${ms} ms`, () => {
      expect(parseDuration(text, 'expires_in')).to.equal(ms)
    })
  }

  const BAD = ['', '0s', '0h', '00h', '-1h', '+1h', '1.5h', '1', 'h', '1 h', ' 1h', '1h ', '1h\n', '01h', '1H', '1w', '1ms', '1h30m', 'P1D', '1e3s', '101y', '36501d', '3153600001s', '9999999999y', '99999999999s', '١h', 'Infinityh', 'NaNs']
  for (const text of BAD) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => parseDuration(text, 'expires_in')).to.throw(SignalbookError, /^expires_in must be a whole number from 1 .*such as 24h, 7d or 1y/)
    })
  }

  it('is a refusal of the request and not a fault of ours', () => {
    expect(() => parseDuration('soon', 'wait')).to.throw(SignalbookError).with.property('code', 'invalid_request')
  })

  it('shows no more than 40 characters of what was sent', () => {
    expect(() => parseDuration('9'.repeat(10_000), 'wait')).to.throw(/got "9{40}"$/)
  })

  it('reads every whole number of every unit up to 100 years as that many units', () => {
    const units = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, y: YEAR }
    fc.assert(
      fc.property(fc.constantFrom(...(['s', 'm', 'h', 'd', 'y'] as const)), fc.nat(), (unit, random) => {
        const count = 1 + (random % ((100 * YEAR) / units[unit]))
        expect(parseDuration(`${count}${unit}`, 'x')).to.equal(count * units[unit])
      }),
    )
  })
})

describe('formatDuration', () => {
  const SHOWN: [ms: number, text: string][] = [
    [0, '0s'],
    [999, '0s'],
    [1000, '1s'],
    [59_999, '59s'],
    [60_000, '1m0s'],
    [3_599_999, '59m59s'],
    [3_600_000, '1h0m0s'],
    [13_330_000, '3h42m10s'],
    [100 * HOUR + 5 * SECOND, '100h0m5s'],
  ]
  for (const [ms, text] of SHOWN) {
    it(`writes ${ms} ms as ${text}`, () => {
      expect(formatDuration(ms)).to.equal(text)
    })
  }
})
