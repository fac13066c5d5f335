import { parseDuration } from '../duration.ts'
import { invalid } from '../error.ts'
import type { SignalbookError } from '../error.ts'
import { SECRET_MASK } from './destination.ts'
import type { ProviderConfig } from './destination.ts'

/** Checks one setting. `name` is for the error's text; the value never appears in it, since it may be a secret. */
export type Field = (value: unknown, name: string) => void

/**
 * Checks settings against the fields that a provider knows.
 * @returns the settings without those that are `null`
 * @throws SignalbookError `invalid_request` naming the key
 */
export function checkFields(provider: string, config: ProviderConfig, fields: Record<string, Field>): ProviderConfig {
  const checked: ProviderConfig = {}
  for (const [key, value] of Object.entries(config)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (!field) throw wrong(key.slice(0, 60), `config.${key.slice(0, 60)} is not a setting of provider "${provider}"; its settings are ${Object.keys(fields).join(', ')}`)
    if (value === null || value === undefined) continue
    field(value, `config.${key}`)
    checked[key] = value
  }
  return checked
}

/** A 400 about one setting. */
export function wrong(key: string, message: string): SignalbookError {
  return invalid(message, [{ path: `/config/${key}`, message }])
}

function refuse(name: string, demand: string): never {
  throw wrong(name.replace(/^config\./, ''), `${name} must be ${demand}`)
}

/** Any text on one line: vendors change the form of their credentials, so nothing more is asked of one. */
export const credential: Field = (value, name) => {
  if (typeof value !== 'string' || value === '' || value.length > 4096 || /[\u0000-\u001f\u007f]/.test(value)) {
    refuse(name, 'a text of 1 to 4096 characters without control characters')
  }
  if (value === SECRET_MASK) refuse(name, `the secret itself: "${SECRET_MASK}" only stands for one that is stored already`)
}

/** An absolute http or https URL without credentials. */
export const httpUrl: Field = (value, name) => {
  const url = typeof value === 'string' && value.length <= 2048 ? URL.parse(value) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    refuse(name, 'an http:// or https:// URL of at most 2048 characters without user name and password')
  }
}

export const bool: Field = (value, name) => {
  if (typeof value !== 'boolean') refuse(name, 'true or false')
}

export function wholeNumber(least: number, most: number): Field {
  return (value, name) => {
    if (!Number.isInteger(value) || (value as number) < least || (value as number) > most) refuse(name, `a whole number from ${least} to ${most}`)
  }
}

export function oneOf(...allowed: string[]): Field {
  return (value, name) => {
    if (!allowed.includes(value as string)) refuse(name, `one of ${allowed.map((each) => `"${each}"`).join(', ')}`)
  }
}

/** A list without repetitions of some of the words; at least one. */
export function someOf(allowed: readonly string[]): Field {
  return (value, name) => {
    const isSound = Array.isArray(value) && value.length > 0 && new Set(value).size === value.length && value.every((each) => allowed.includes(each))
    if (!isSound) refuse(name, `a list of one or more of ${allowed.map((each) => `"${each}"`).join(', ')}, each once`)
  }
}

/** A duration such as `10s` within bounds. */
export function durationBetween(leastMs: number, mostMs: number, demand: string): Field {
  return (value, name) => {
    let durationMs = Number.NaN
    try {
      durationMs = parseDuration(String(value), name)
    } catch {
      // The reason below names the bounds of this very setting.
    }
    if (typeof value !== 'string' || !(durationMs >= leastMs && durationMs <= mostMs)) refuse(name, demand)
  }
}
