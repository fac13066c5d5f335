import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'sb_'
const RANDOM_LENGTH = 40
const CHECKSUM_LENGTH = 6
const SHOWN_LENGTH = 8
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHAPE = /^sb_[0-9A-Za-z]{46}$/
// 248 is the largest multiple of 62 that fits a byte: bytes above it would favour the first letters.
const FAIR_BYTES = 248

/**
 * Makes a raw API key: `sb_`, 40 random base62 characters (238 bits) and 6 of checksum, by which secret scanners
 * recognise it and a mistyped key is refused without a look-up.
 */
export function generateKey(): string {
  let random = ''
  while (random.length < RANDOM_LENGTH) {
    for (const byte of randomBytes(RANDOM_LENGTH)) {
      if (byte < FAIR_BYTES && random.length < RANDOM_LENGTH) random += ALPHABET[byte % ALPHABET.length]
    }
  }
  return PREFIX + random + checksum(random)
}

/** True when the text has the shape of a key and its checksum is right. */
export function isWellFormedKey(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(PREFIX.length, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH)
}

/** The SHA-256 of a key in hexadecimal: all that is stored of it. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex')
}

/** The first characters of a key, shown in listings. */
export function keyPrefix(key: string): string {
  return key.slice(0, PREFIX.length + SHOWN_LENGTH)
}

/** CRC-32 in base62, six characters. */
function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % ALPHABET.length] + digits
    rest = Math.floor(rest / ALPHABET.length)
  }
  return digits
}
