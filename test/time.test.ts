import { expect } from 'chai'
import fc from 'fast-check'
import { SignalbookError } from '../src/error.ts'
import { formatOptionalTime, formatTime, parseTime, readTime } from '../src/time.ts'

const RFC_3339_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('readTime', () => {
  const GOOD: [text: string, utc: string][] = [
    ['2026-11-21T09:30:00Z', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21t09:30:00z', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21T09:30:00+02:00', '2026-11-21T07:30:00.000Z'],
    ['2026-11-21T09:30:00-05:30', '2026-11-21T15:00:00.000Z'],
    ['2026-11-21T09:30:00+00:00', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21T09:30:00-00:00', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21T00:00:00+23:59', '2026-11-20T00:01:00.000Z'],
    ['2026-12-31T23:59:59-00:01', '2027-01-01T00:00:59.000Z'],
    ['2026-11-21T09:30:00.1Z', '2026-11-21T09:30:00.100Z'],
    ['2026-11-21T09:30:00.12Z', '2026-11-21T09:30:00.120Z'],
    ['2026-11-21T09:30:00.123456789Z', '2026-11-21T09:30:00.123Z'],
    ['2026-11-21T09:30:00.999999Z', '2026-11-21T09:30:00.999Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['2000-02-29T12:00:00Z', '2000-02-29T12:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0050-06-01T00:00:00Z', '0050-06-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ]
  for (const [text, utc] of GOOD) {
    it(`reads ${text} as ${utc}`, () => {
      expect(new Date(readTime(text) as number).toISOString()).to.equal(utc)
    })
  }

  const BAD: [text: string, why: string][] = [
    ['2026-06-30T23:59:60Z', 'a leap second'],
    ['2026-11-21 09:30:00Z', 'a space for the T'],
    ['2026-02-30T00:00:00Z', 'the 30th of February'],
    ['2026-02-29T00:00:00Z', 'the 29th of February outside a leap year'],
    ['1900-02-29T00:00:00Z', 'a leap day in a century year'],
    ['2026-04-31T00:00:00Z', 'the 31st of April'],
    ['2026-00-10T00:00:00Z', 'month zero'],
    ['2026-13-10T00:00:00Z', 'month thirteen'],
    ['2026-11-00T00:00:00Z', 'day zero'],
    ['2026-11-21T24:00:00Z', 'hour twenty-four'],
    ['2026-11-21T09:60:00Z', 'minute sixty'],
    ['2026-11-21T09:30:00', 'no offset'],
    ['2026-11-21T09:30Z', 'no seconds'],
    ['2026-11-21', 'a day alone'],
    ['2026-11-21T09:30:00+24:00', 'an offset of a day'],
    ['2026-11-21T09:30:00+02:60', 'an offset with sixty minutes'],
    ['2026-11-21T09:30:00+0200', 'an offset without its colon'],
    ['2026-11-21T09:30:00.Z', 'a point without a fraction'],
    ['2026-11-21T09:30:00,5Z', 'a comma before the fraction'],
    [' 2026-11-21T09:30:00Z', 'a space before'],
    ['2026-11-21T09:30:00Z\n', 'a line end after'],
    ['26-11-21T09:30:00Z', 'two digits of year'],
    ['+002026-11-21T09:30:00Z', 'an expanded year'],
    ['٢٠٢٦-11-21T09:30:00Z', 'digits that are not ASCII'],
    ['yesterday', 'a word'],
    ['1763717400', 'seconds since 1970'],
    ['', 'nothing'],
  ]
  for (const [text, why] of BAD) {
    it(`refuses ${why}: ${JSON.stringify(text)}`, () => {
      expect(readTime(text)).to.equal(undefined)
    })
  }

  it('agrees with the calendar for every day of four centuries', () => {
    const day = new Date('1899-12-31T00:00:00Z')
    for (let count = 0; count < 400 * 365.2425; count++) {
      day.setUTCDate(day.getUTCDate() + 1)
      const text = day.toISOString()
      if (readTime(text) !== day.getTime()) expect.fail(`${text} was read as ${readTime(text)}`)
    }
  })

  it('agrees with Date.parse on 2,000 random times with random offsets', () => {
    const two = (value: number) => String(value).padStart(2, '0')
    const offset = fc.tuple(fc.constantFrom('+', '-'), fc.nat(23), fc.nat(59)).map(([sign, hours, minutes]) => `${sign}${two(hours)}:${two(minutes)}`)
    fc.assert(
      fc.property(fc.date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }), offset, (date, zone) => {
        const text = date.toISOString().replace('Z', zone)
        expect(readTime(text)).to.equal(Date.parse(text))
      }),
      { numRuns: 2000 },
    )
  })

  // Every time that is let in is written again into answers and deliveries, and there is no year before 0000 or after 9999.
  for (const text of ['9999-12-31T23:59:59-01:00', '9999-12-31T00:01:00-23:59', '0000-01-01T00:00:00+00:01']) {
    it(`refuses ${text}, whose UTC has no RFC 3339 form`, () => {
      expect(readTime(text)).to.equal(undefined)
    })
  }
})

describe('parseTime', () => {
  it('names the parameter, shows what was sent and what would be right', () => {
    expect(() => parseTime('yesterday', 'since'))
      .to.throw(SignalbookError, /^since must be an RFC 3339 time with an offset, such as \S+Z; got "yesterday"$/)
      .with.property('code', 'invalid_request')
  })

  it('shows no more than 64 characters of what was sent', () => {
    expect(() => parseTime('x'.repeat(10_000), 'since')).to.throw(new RegExp(`got "x{64}"$`))
  })
})

describe('formatTime', () => {
  it('writes UTC with milliseconds, which readTime reads again', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.parse('0000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') }), (at) => {
        expect(formatTime(at)).to.match(RFC_3339_UTC)
        expect(readTime(formatTime(at))).to.equal(at)
      }),
    )
  })

  it('writes null for a time that is not there, and the beginning of 1970 for 0', () => {
    expect(formatOptionalTime(undefined)).to.equal(null)
    expect(formatOptionalTime(0)).to.equal('1970-01-01T00:00:00.000Z')
  })
})
