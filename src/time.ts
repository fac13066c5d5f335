import { invalid } from './error.ts'

// RFC 3339 section 5.6. Ajv's `date-time` also lets through `23:59:60Z` and a space for `T`, on which toISOString() throws later.
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

// The years 0000 to 9999 in UTC: what RFC 3339 can write. An offset can lead out of them.
const FIRST_MS = -62_167_219_200_000
const LAST_MS = 253_402_300_799_999

/**
 * Reads an RFC 3339 time strictly: a real calendar day, seconds up to 59, and an offset or `Z`.
 * @returns epoch milliseconds; finer fractions are cut off. `undefined` when the text is no such time
 */
export function readTime(text: string): number | undefined {
  return readCanonicalTime(text) ?? readAnyTime(text)
}

const ZERO = 48
const PUNCTUATION = Array.from('    -  -  T  :  :  .   Z', (character) => (character === ' ' ? undefined : character.charCodeAt(0)))
const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Reads `2026-11-21T09:30:00.123Z`, which nearly all senders write, in a tenth of the time. @returns `undefined` when the form or a number is another */
function readCanonicalTime(text: string): number | undefined {
  if (text.length !== 24) return undefined
  for (let at = 0; at < 24; at++) {
    const code = text.charCodeAt(at)
    const wanted = PUNCTUATION[at]
    if (wanted === undefined ? code < ZERO || code > ZERO + 9 : code !== wanted) return undefined
  }
  const two = (at: number) => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - ZERO * 11
  const year = two(0) * 100 + two(2)
  const [month, day, hour, minute, second] = [two(5), two(8), two(11), two(14), two(17)]
  // Date.UTC takes years below 100 for years of the twentieth century; the 29th of February is left to the other reader too.
  if (year < 100 || month < 1 || month > 12 || day < 1 || day > (DAYS_OF_MONTH[month - 1] as number)) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  return Date.UTC(year, month - 1, day, hour, minute, second, two(20) * 10 + text.charCodeAt(22) - ZERO)
}

function readAnyTime(text: string): number | undefined {
  const match = RFC_3339.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number]
  const offsetHour = Number(match[9] ?? 0)
  const offsetMinute = Number(match[10] ?? 0)
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined
  const at = new Date(0)
  at.setUTCFullYear(year, month - 1, day)
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return undefined
  at.setUTCHours(hour, minute, second, Number((match[7] ?? '').padEnd(3, '0').slice(0, 3)))
  const offsetMs = (match[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute) * 60_000
  const utcMs = at.getTime() - offsetMs
  return utcMs >= FIRST_MS && utcMs <= LAST_MS ? utcMs : undefined
}

/** As `readTime`, but a text that is no such time is an `invalid_request` that names `what`. */
export function parseTime(text: string, what: string): number {
  const at = readTime(text)
  if (at === undefined) {
    throw invalid(`${what} must be an RFC 3339 time with an offset, such as 2026-11-21T09:30:00Z; got "${text.slice(0, 64)}"`)
  }
  return at
}

/** Writes epoch milliseconds as every answer shows them: UTC with milliseconds. */
export function formatTime(atMs: number): string {
  return new Date(atMs).toISOString()
}

/** `formatTime` for a column that may be empty. */
export function formatOptionalTime(atMs: number | undefined): string | null {
  return atMs === undefined ? null : formatTime(atMs)
}
