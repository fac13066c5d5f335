import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import { SignalbookError } from '../../error.ts'

// Of UTF-8 and JSON's escapes together: `\u0000` is the longest that one UTF-16 unit becomes.
const MOST_BYTES_PER_UNIT = 6
const MOST_BYTES_PER_NUMBER = 26
// What stands around a value: a colon, a comma, quotes or brackets.
const FRAME = 4

/** Refuses an event that is larger than the setting allows. @param named the event's name for people @throws SignalbookError `too_large` */
export function assertSize(event: CanonicalEvent, maxBytes: number, named: () => string): void {
  // A bound is found in a fraction of the time that writing the event takes, and all but the largest stay under it.
  if (mostBytesOf(event) <= maxBytes) return
  const bytes = Buffer.byteLength(JSON.stringify(event))
  if (bytes <= maxBytes) return
  throw new SignalbookError('too_large', `${named() || 'the event'} has ${bytes} bytes; an event may have at most ${maxBytes} (setting max_event_bytes)`)
}

/** Bytes of JSON that a value cannot exceed. */
function mostBytesOf(value: unknown): number {
  if (typeof value === 'string') return FRAME + value.length * MOST_BYTES_PER_UNIT
  if (typeof value !== 'object' || value === null) return FRAME + MOST_BYTES_PER_NUMBER
  let bytes = FRAME
  if (Array.isArray(value)) {
    for (const child of value) bytes += mostBytesOf(child)
    return bytes
  }
  for (const key in value) bytes += FRAME + key.length * MOST_BYTES_PER_UNIT + mostBytesOf((value as Record<string, unknown>)[key])
  return bytes
}
