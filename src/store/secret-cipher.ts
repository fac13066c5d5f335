import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** Encrypts secrets before they are stored, and decrypts what was stored. */
export interface SecretCipher {
  /** What `seal` encrypts with; `undefined` when it leaves secrets in the clear. */
  readonly keyId: string | undefined
  /** @param place where the text is stored, such as `webhooks/7/secret`: put anywhere else it cannot be opened */
  seal(text: string, place: string): string
  /** Texts that were stored in the clear are returned as they are. @throws UnreadableSecretError */
  open(stored: string, place: string): string
}

/** A stored secret that the keys at hand do not open. The message is for whoever runs the service. */
export class UnreadableSecretError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnreadableSecretError'
  }
}

const ALGORITHM = 'aes-256-gcm'
// What NIST SP 800-38D asks for: 96 random bits are unique for 2^32 secrets under one key, and the whole tag is checked.
const NONCE_BYTES = 12
const TAG_BYTES = 16
const PREFIX = 'enc:v1:'
// enc:v1:<key id>:<nonce>:<tag>:<ciphertext>
const SEALED = /^enc:v1:([0-9a-f]{8}):([\w-]{16}):([\w-]{22}):([\w-]*)$/

/** True for a text that `seal` made, or that could be taken for one. */
export function isSealed(text: string): boolean {
  return text.startsWith(PREFIX)
}

/** AES-256-GCM. @param keys of 32 bytes: the first encrypts, all of them decrypt; none leaves secrets in the clear */
export function createSecretCipher(keys: readonly Buffer[]): SecretCipher {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]))
  const [first] = keys
  const keyId = first && keyIdOf(first)
  return {
    keyId,
    seal(text, place) {
      if (first === undefined) return text
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, first, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return `${PREFIX}${keyId}:${[nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64url')).join(':')}`
    },
    open(stored, place) {
      if (!isSealed(stored)) return stored
      const [, id = '?', nonce = '', tag = '', sealed = ''] = SEALED.exec(stored) ?? []
      if (keys.length === 0) throw new UnreadableSecretError(`ENCRYPTION_KEY is not set, but the database holds secrets that are encrypted with the key ${id}; set it to that key`)
      const key = byId.get(id)
      if (!key) throw new UnreadableSecretError(`ENCRYPTION_KEY does not hold the key ${id}, with which secrets in the database are encrypted; it holds ${[...byId.keys()].join(', ')}. Add the missing key, separated by a comma`)
      try {
        const decipher = createDecipheriv(ALGORITHM, key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG_BYTES })
        decipher.setAAD(Buffer.from(place)).setAuthTag(Buffer.from(tag, 'base64url'))
        return Buffer.concat([decipher.update(Buffer.from(sealed, 'base64url')), decipher.final()]).toString('utf8')
      } catch {
        // The cause says no more than that: authentication never tells which byte was wrong.
        throw new UnreadableSecretError(`the stored secret ${place} was altered or moved from another place; enter it anew through the API, or restore a backup`)
      }
    },
  }
}

/** Names a key without telling anything of it. */
function keyIdOf(key: Buffer): string {
  return createHash('sha256').update('signalbook key id').update(key).digest('hex').slice(0, 8)
}

/** How a database keeps secrets; `openDatabase` takes it, and every query and transaction carries it along. */
export interface SecretKeeping {
  cipher: SecretCipher
  /** The settings of a provider that are secret; of an object, every value. */
  secretKeys: (provider: string) => readonly string[]
}

/** Writes secrets as they are. Encrypted ones are still never taken for the secrets themselves: reading one throws. */
export const IN_THE_CLEAR: SecretKeeping = { cipher: createSecretCipher([]), secretKeys: () => [] }
