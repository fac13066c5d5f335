import { invalid } from '../error.ts'
import type { Executor } from './db.ts'
import { isSealed } from './secret-cipher.ts'
import type { SecretKeeping } from './secret-cipher.ts'

type Settings = Record<string, unknown>

/** What `openDatabase` was given. */
export function secretKeepingOf(db: Executor): SecretKeeping {
  return db.userParams['secrets'] as SecretKeeping
}

/** The settings as they are stored. @throws SignalbookError `invalid_request` for a text that would later be taken for an encrypted one */
export function sealSettings(db: Executor, destination: string, provider: string, config: Settings): Settings {
  const { cipher, secretKeys } = secretKeepingOf(db)
  const secret = new Set(secretKeys(provider))
  return mapTexts(config, (text, key, path) => {
    if (isSealed(text)) throw invalid(`config.${path} must not begin with "${text.slice(0, 'enc:v1:'.length)}", which marks encrypted values`)
    return secret.has(key) ? cipher.seal(text, placeOf(destination, path)) : text
  })
}

/** The settings as the provider wants them. @throws UnreadableSecretError */
export function openSettings(db: Executor, destination: string, stored: Settings): Settings {
  const { cipher } = secretKeepingOf(db)
  return mapTexts(stored, (text, _key, path) => cipher.open(text, placeOf(destination, path)))
}

function placeOf(destination: string, path: string): string {
  return `destinations/${destination}/config.${path}`
}

/** Maps the texts among settings, and those inside objects such as `headers`. */
function mapTexts(settings: Settings, map: (text: string, key: string, path: string) => string): Settings {
  const mapped = Object.entries(settings).map(([key, value]) => {
    if (typeof value === 'string') return [key, map(value, key, key)]
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [key, value]
    return [key, Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, typeof each === 'string' ? map(each, key, `${key}.${inner}`) : each]))]
  })
  return Object.fromEntries(mapped)
}
