import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { UnreadableSecretError, createSecretCipher, isSealed } from '../../src/store/secret-cipher.ts'

const KEY = randomBytes(32)
const OTHER = randomBytes(32)
const PLACE = 'webhooks/7/secret'

describe('createSecretCipher', () => {
  it('gives back what it sealed, whatever the text', () => {
    const cipher = createSecretCipher([KEY])
    for (const text of ['', 'a', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'zürich ☂ 𝄞', 'x'.repeat(4096), cipher.seal('nested', PLACE)]) {
      const sealed = cipher.seal(text, PLACE)
      expect(isSealed(sealed)).to.equal(true)
      if (text.length > 4) expect(sealed).not.to.include(text)
      expect(cipher.open(sealed, PLACE)).to.equal(text)
    }
  })

  it('never seals one text twice alike', () => {
    const cipher = createSecretCipher([KEY])
    expect(new Set(Array.from({ length: 1000 }, () => cipher.seal('same', PLACE))).size).to.equal(1000)
  })

  it('fits the longest webhook secret into its column of 200', () => {
    expect(createSecretCipher([KEY]).seal(`whsec_${randomBytes(64).toString('base64')}`, PLACE)).to.have.length.below(200)
  })

  it('leaves texts in the clear without a key, and reads those with one', () => {
    expect(createSecretCipher([]).seal('text', PLACE)).to.equal('text')
    expect(createSecretCipher([KEY]).open('text', PLACE)).to.equal('text')
  })

  it('seals with the first key and opens with any', () => {
    const old = createSecretCipher([KEY])
    const both = createSecretCipher([OTHER, KEY])
    expect(both.open(old.seal('text', PLACE), PLACE)).to.equal('text')
    expect(createSecretCipher([OTHER]).open(both.seal('text', PLACE), PLACE)).to.equal('text')
    expect(both.keyId).not.to.equal(old.keyId)
  })

  it('names the key that is missing and never the secret', () => {
    const cipher = createSecretCipher([KEY])
    const sealed = cipher.seal('hunter2', PLACE)
    expect(() => createSecretCipher([]).open(sealed, PLACE)).to.throw(UnreadableSecretError, `ENCRYPTION_KEY is not set, but the database holds secrets that are encrypted with the key ${cipher.keyId}`)
    expect(() => createSecretCipher([OTHER]).open(sealed, PLACE)).to.throw(UnreadableSecretError, `ENCRYPTION_KEY does not hold the key ${cipher.keyId}`)
  })

  it('refuses a secret in another place, and one with any of its characters changed', () => {
    const cipher = createSecretCipher([KEY])
    const sealed = cipher.seal('whsec_0123456789', PLACE)
    expect(() => cipher.open(sealed, 'webhooks/8/secret')).to.throw(UnreadableSecretError, 'webhooks/8/secret was altered or moved')
    for (let at = 'enc:v1:'.length; at < sealed.length; at++) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'w' : 'A') + sealed.slice(at + 1)
      expect(() => cipher.open(changed, PLACE), changed).to.throw(UnreadableSecretError)
    }
    expect(() => cipher.open(sealed.slice(0, -1), PLACE)).to.throw(UnreadableSecretError)
    expect(() => cipher.open('enc:v1:', PLACE)).to.throw(UnreadableSecretError)
  })
})
