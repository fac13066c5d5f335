import { createHash } from 'node:crypto'

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 26
const TIME_BYTES = 6

/**
 * The ULID of a message, for vendors that recognise a duplicate by one: 48 bits of its time and, in place of the random ones,
 * the first 80 bits of the SHA-256 of its id, so that it is the same in every attempt and after every restart.
 * @param timestamp RFC 3339, as it was frozen at receipt; before 1970 counts as 1970
 */
export function messageUlid(messageId: string, timestamp: string): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.max(0, Date.parse(timestamp)), 0, TIME_BYTES)
  createHash('sha256').update(messageId).digest().copy(bytes, TIME_BYTES)
  const bits = BigInt(`0x${bytes.toString('hex')}`)
  return Array.from({ length: LENGTH }, (_, place) => CROCKFORD[Number((bits >> BigInt(5 * (LENGTH - 1 - place))) & 31n)]).join('')
}
