import { formatTime, readTime } from '../../time.ts'
import { faulty, readText } from './read-field.ts'
import type { FieldName } from './read-field.ts'

/** When an event happened, as it will be delivered. */
export interface EventTimes {
  timestamp: string
  /** The sender's own text, where the sender's clock was corrected. */
  originalTimestamp: string | undefined
}

// Go's time.Time writes this when it was never set.
const UNSET = readTime('0001-01-01T00:00:00Z')
const FIRST_YEAR = readTime('0000-01-01T00:00:00Z') as number
const END_OF_YEAR_9999 = readTime('9999-12-31T23:59:59.999Z') as number

/** Reads a time of the sender. @throws SignalbookError `invalid_request` naming the field */
export function readSenderTime(value: unknown, named: FieldName, field: string): { text: string; at: number } | undefined {
  if (value === '') throw faulty(named(field), 'must be an RFC 3339 time with an offset, such as 2026-11-21T09:30:00Z; leave it out if there is none')
  const text = readText(value, named, field)
  if (text === undefined) return undefined
  const at = readTime(text)
  if (at === undefined) throw faulty(named(field), `must be an RFC 3339 time with an offset, such as 2026-11-21T09:30:00Z; got "${text.slice(0, 64)}"`)
  return at === UNSET ? undefined : { text, at }
}

/**
 * Decides when an event happened: as the sender says, or at receipt. A sender that also says when it sent has its clock
 * compared with ours, and the difference is taken off.
 */
export function eventTimes(given: { timestamp: { text: string; at: number } | undefined; sentAt: { at: number } | undefined; receivedAt: number; receivedAtText: string }): EventTimes {
  const { timestamp, sentAt, receivedAt } = given
  if (!timestamp) return { timestamp: given.receivedAtText, originalTimestamp: undefined }
  const correctedAt = sentAt && receivedAt - (sentAt.at - timestamp.at)
  // Beyond these years there is no RFC 3339 text for it; such clocks are past correcting.
  if (correctedAt === undefined || correctedAt < FIRST_YEAR || correctedAt > END_OF_YEAR_9999) {
    return { timestamp: isCanonical(timestamp.text) ? timestamp.text : formatTime(timestamp.at), originalTimestamp: undefined }
  }
  return { timestamp: formatTime(correctedAt), originalTimestamp: timestamp.text }
}

/** True for a valid time that stands there as `formatTime` would write it. */
function isCanonical(text: string): boolean {
  return text.length === 24 && text[10] === 'T' && text[19] === '.' && text[23] === 'Z'
}
