import { randomFillSync } from 'node:crypto'

const TIME_DIGITS = 12
const RANDOM_DIGITS = 15
const FILLED_BYTES = 16 * 1024
const VARIANTS = '89ab'
const PREFIX_LENGTH = 32
const MADE_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const bytes = Buffer.alloc(FILLED_BYTES)
let digits = ''
let at = 0

/**
 * What the ids have in common that the service makes for the events of one request: the time, then 58 random bits. Ids of one
 * moment lie side by side in the log's unique index, and one row there can stand for all ids of a request.
 * @param now epoch milliseconds
 */
export function newIdPrefix(now: number = Date.now()): string {
  if (at + RANDOM_DIGITS > digits.length) {
    digits = randomFillSync(bytes).toString('hex')
    at = 0
  }
  const random = digits.slice(at, at + RANDOM_DIGITS)
  at += RANDOM_DIGITS
  const time = now.toString(16).padStart(TIME_DIGITS, '0')
  const variant = VARIANTS[random.charCodeAt(3) & 3] as string
  return `${time.slice(0, 8)}-${time.slice(8)}-8${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7)}`
}

/** The id of one event of a request: a UUID of version 8 (RFC 9562), which ends in the event's place. @param place up to 65,535 */
export function madeId(prefix: string, place: number): string {
  return prefix + (0x10000 + place).toString(16).slice(1)
}

/** The prefix of an id that `madeId` may have made; senders may make such ids too. */
export function idPrefixOf(id: string): string | undefined {
  return MADE_ID.test(id) ? id.slice(0, PREFIX_LENGTH) : undefined
}
