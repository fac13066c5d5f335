import { providerNamed } from './destinations/registry.ts'
import { createSecretCipher } from './store/secret-cipher.ts'
import type { SecretKeeping } from './store/secret-cipher.ts'

/** How this process keeps secrets. @param keys of the configuration; none leaves them in the clear */
export function secretKeepingWith(keys: readonly Buffer[]): SecretKeeping {
  return { cipher: createSecretCipher(keys), secretKeys: (provider) => providerNamed(provider).secretKeys }
}
