import { SECRET_MASK } from './destination.ts'
import type { ProviderConfig } from './destination.ts'
import { providerNamed } from './registry.ts'

/** The settings with every secret replaced by the mask; of an object of secrets, every value. */
export function maskConfig(providerName: string, config: ProviderConfig): ProviderConfig {
  return mapSecrets(providerName, config, () => SECRET_MASK)
}

/** The settings with each mask replaced by the stored secret, so that what was read can be sent back. A mask that stands for nothing stays, and `checkConfig` refuses it. */
export function unmaskConfig(providerName: string, config: ProviderConfig, stored: ProviderConfig): ProviderConfig {
  return mapSecrets(providerName, config, (value, key, inner) => {
    if (value !== SECRET_MASK) return value
    const holder = inner === undefined ? stored : ((stored[key] ?? {}) as ProviderConfig)
    const name = inner ?? key
    return Object.hasOwn(holder, name) ? holder[name] : value
  })
}

/** A text, such as a vendor's answer, without the destination's secrets, however they are spelled in URLs, JSON and headers. */
export function scrubSecrets(providerName: string, config: ProviderConfig, text: string): string {
  const secrets: string[] = []
  mapSecrets(providerName, config, (value) => {
    // Shorter ones would blacken ordinary words.
    if (typeof value === 'string' && value.length >= 4) secrets.push(value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1), ...insideBase64(value))
    return value
  })
  return secrets.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, SECRET_MASK), text)
}

/** How a text shows in the base64 of a longer one, such as `user:secret` of basic authentication: one spelling for each place that it can begin at. */
function insideBase64(text: string): string[] {
  // What is left of shorter ones would stand in anything.
  if (text.length < 8) return []
  return [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    // The first characters depend on what stands before, the last one on what follows.
    const whole = bytes.toString('base64url').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
    return whole.replaceAll('-', '+').replaceAll('_', '/')
  })
}

function mapSecrets(providerName: string, config: ProviderConfig, map: (value: unknown, key: string, inner?: string) => unknown): ProviderConfig {
  const mapped: ProviderConfig = { ...config }
  for (const key of providerNamed(providerName).secretKeys) {
    const value = mapped[key]
    if (value === undefined || value === null) continue
    mapped[key] =
      typeof value === 'object' && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, map(each, key, inner)]))
        : map(value, key)
  }
  return mapped
}
