import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { generateKey, hashKey, isWellFormedKey, keyPrefix } from '../../src/admin/key-format.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SHAPE = /^sb_[0-9A-Za-z]{40}[0-9A-Za-z]{6}$/

/** The text with one character replaced. */
const replaced = (text: string, index: number, by: string) => text.slice(0, index) + by + text.slice(index + 1)

describe('an API key', () => {
  it('is sb_, 40 random characters and 6 of checksum; of 100,000 no two are equal and every checksum is right', function () {
    this.timeout(60_000)
    const keys = new Set<string>()
    const counts = new Map<string, number>()
    for (let count = 0; count < 100_000; count++) {
      const key = generateKey()
      if (!SHAPE.test(key) || !isWellFormedKey(key)) expect.fail(`${key} is not well formed`)
      keys.add(key)
      for (const character of key.slice(3, 43)) counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    expect(keys.size).to.equal(100_000)
    // 4 million draws over 62 letters: 64,516 each, with a standard deviation of 252.
    expect([...counts.keys()].sort().join('')).to.equal(ALPHABET)
    for (const [character, count] of counts) expect(Math.abs(count - 4_000_000 / 62), `how often ${character} came`).to.be.lessThan(6 * 252)
  })

  it('is refused with any one character changed to any other', function () {
    this.timeout(60_000)
    for (let round = 0; round < 50; round++) {
      const key = generateKey()
      for (let index = 0; index < key.length; index++) {
        for (const other of ALPHABET + '_-. é\n') {
          if (other === key[index]) continue
          if (isWellFormedKey(replaced(key, index, other))) expect.fail(`${key} with ${JSON.stringify(other)} at ${index} passes for a key`)
        }
      }
    }
  })

  it('is refused with two neighbouring characters exchanged, cut short or made longer', () => {
    for (let round = 0; round < 200; round++) {
      const key = generateKey()
      for (let index = 3; index + 1 < key.length; index++) {
        if (key[index] === key[index + 1]) continue
        const exchanged = replaced(replaced(key, index, key[index + 1] as string), index + 1, key[index] as string)
        if (isWellFormedKey(exchanged)) expect.fail(`${key} with ${index} and ${index + 1} exchanged passes for a key`)
      }
      for (const other of [key.slice(0, -1), key.slice(1), `${key}0`, ` ${key}`, `${key}\n`, key.toLowerCase(), key.replace('sb_', 'sk_'), '']) expect(isWellFormedKey(other), other).to.equal(false)
    }
  })

  it('has a checksum that does not change between releases', () => {
    // CRC-32 of forty zeros in base62, most significant digit first; reckoned apart from this code.
    expect(isWellFormedKey(`sb_${'0'.repeat(40)}${base62(crc32('0'.repeat(40)))}`)).to.equal(true)
    expect(isWellFormedKey(`sb_${ALPHABET.slice(0, 40)}${base62(crc32(ALPHABET.slice(0, 40)))}`)).to.equal(true)
  })

  it('is stored as its SHA-256 in hexadecimal', () => {
    const key = generateKey()
    expect(hashKey(key)).to.equal(createHash('sha256').update(key, 'utf8').digest('hex')).and.to.match(/^[0-9a-f]{64}$/)
  })

  it('is shown in lists by its first eight random characters', () => {
    const key = generateKey()
    expect(keyPrefix(key)).to.equal(key.slice(0, 11))
  })
})

/** CRC-32 as in zip files, bit by bit. */
function crc32(text: string): number {
  let rest = 0xffffffff
  for (const byte of Buffer.from(text)) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
  }
  return (rest ^ 0xffffffff) >>> 0
}

function base62(value: number): string {
  let digits = ''
  for (let rest = value; digits.length < 6; rest = Math.floor(rest / 62)) digits = `${ALPHABET[rest % 62]}${digits}`
  return digits
}
