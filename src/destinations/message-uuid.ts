import { createHash } from 'node:crypto'

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
/** Drawn at random, once: with another one, events that are sent again would count as new ones. */
const NAMESPACE = Buffer.from('cfc7012925864f91a81056aa1d43101b', 'hex')

/**
 * The UUID of a message, for vendors that recognise a duplicate by one: its id where that is a UUID, else a UUID version 5 of
 * it (RFC 9562), the same in every attempt, on every instance and after every restart.
 */
export function messageUuid(messageId: string): string {
  const lowerCase = messageId.toLowerCase()
  if (UUID.test(lowerCase)) return lowerCase
  const bytes = createHash('sha1').update(NAMESPACE).update(messageId).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
