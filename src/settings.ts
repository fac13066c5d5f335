import { DAY, HOUR, MINUTE, parseDuration } from './duration.ts'
import { invalid } from './error.ts'

/** The settings that an admin changes while the service runs, as the code reads them. */
export interface Settings {
  hooksEnabled: boolean
  relayValidation: 'quarantine' | 'block' | 'allow'
  relayUnplanned: 'allow' | 'quarantine' | 'block'
  relayRetentionMs: number
  relayRetryForMs: number
  versionPolicy: 'enforce' | 'warn' | 'off'
  lintPolicy: 'warn' | 'error'
  maxBatchItems: number
  maxEventBytes: number
  auditRetentionMs: number
  /** Requests per second, 0 for any number. */
  rateLimitPerKey: number
}

export type SettingType = 'boolean' | 'enum' | 'integer' | 'duration'

/** What is known of one setting. `read` turns the text on the wire into the value, or throws a 400 that says what is allowed. */
export interface SettingDefinition<K extends keyof Settings = keyof Settings> {
  key: string
  property: K
  type: SettingType
  default: string
  description: string
  read: (text: string) => Settings[K]
}

/** Every setting, sorted by key: the only place that names them. */
export const SETTINGS: readonly SettingDefinition[] = [
  duration('audit_retention', 'auditRetentionMs', '1y', DAY, 'How long audit entries are kept.'),
  {
    key: 'hooks_enabled',
    property: 'hooksEnabled',
    type: 'boolean',
    default: 'true',
    description: 'When false, events are neither validated nor sampled: everything passes.',
    read: (text) => oneOf('hooks_enabled', text, ['true', 'false']) === 'true',
  },
  choice('lint_policy', 'lintPolicy', 'warn', ['warn', 'error'], 'Whether what a publication warns of (style, missing descriptions, formats that are not checked) keeps it from being published.'),
  integer('max_batch_items', 'maxBatchItems', 2500, 1, 2500, 'Most items in one batch call.'),
  integer('max_event_bytes', 'maxEventBytes', 32 * 1024, 1024, 1024 * 1024, 'Largest single event, in bytes of its JSON.'),
  integer('rate_limit_per_key', 'rateLimitPerKey', 0, 0, 1_000_000, 'Most requests per second with one key, counted by each instance of the service for itself; 0 is no limit.'),
  duration('relay_retention', 'relayRetentionMs', '24h', MINUTE, 'How long delivered events stay in the log, and how long a message_id is recognised as a duplicate.'),
  duration('relay_retry_for', 'relayRetryForMs', '72h', MINUTE, 'How long a failing delivery is retried before the event becomes a dead letter.'),
  choice('relay_unplanned', 'relayUnplanned', 'allow', ['allow', 'quarantine', 'block'], 'What happens to an event that no spec of its source describes.'),
  choice('relay_validation', 'relayValidation', 'quarantine', ['quarantine', 'block', 'allow'], 'What happens to an event that violates its spec.'),
  choice('version_policy', 'versionPolicy', 'enforce', ['enforce', 'warn', 'off'], 'Whether a version that is too small a step for its changes is refused, accepted with a warning, or not looked at.'),
]

const BY_KEY = new Map(SETTINGS.map((definition) => [definition.key, definition]))

/** The definition of a key. @throws SignalbookError `invalid_request` listing the known keys */
export function settingDefinition(key: string): SettingDefinition {
  const definition = BY_KEY.get(key)
  if (!definition) throw invalid(`there is no setting "${key.slice(0, 60)}"; the settings are ${[...BY_KEY.keys()].join(', ')}`)
  return definition
}

/** Turns the stored texts into settings; a key that is not stored has its default, one that is no longer known is passed over. */
export function readSettings(stored: ReadonlyMap<string, string>): Settings {
  const settings: Partial<Record<keyof Settings, unknown>> = {}
  for (const definition of SETTINGS) settings[definition.property] = definition.read(stored.get(definition.key) ?? definition.default)
  return settings as unknown as Settings
}

function oneOf<T extends string>(key: string, text: string, allowed: readonly T[]): T {
  if (!(allowed as readonly string[]).includes(text)) {
    throw invalid(`${key} must be one of ${allowed.map((value) => `"${value}"`).join(', ')}; got "${text.slice(0, 60)}"`)
  }
  return text as T
}

function choice<K extends keyof Settings>(key: string, property: K, fallback: Settings[K] & string, allowed: readonly (Settings[K] & string)[], description: string): SettingDefinition<K> {
  return { key, property, type: 'enum', default: fallback, description: `${description} One of ${allowed.join(', ')}.`, read: (text) => oneOf(key, text, allowed) }
}

function integer(key: string, property: 'maxBatchItems' | 'maxEventBytes' | 'rateLimitPerKey', fallback: number, least: number, most: number, description: string): SettingDefinition {
  return {
    key,
    property,
    type: 'integer',
    default: String(fallback),
    description: `${description} From ${least} to ${most}.`,
    read(text) {
      const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN
      if (!(value >= least && value <= most)) throw invalid(`${key} must be a whole number from ${least} to ${most}; got "${text.slice(0, 60)}"`)
      return value
    },
  }
}

function duration(key: string, property: 'auditRetentionMs' | 'relayRetentionMs' | 'relayRetryForMs', fallback: string, leastMs: number, description: string): SettingDefinition {
  return {
    key,
    property,
    type: 'duration',
    default: fallback,
    description: `${description} A duration such as 30m, 24h, 7d or 1y.`,
    read(text) {
      const durationMs = parseDuration(text, key)
      if (durationMs < leastMs) throw invalid(`${key} must be at least ${leastMs >= HOUR ? '1d' : '1m'}; got "${text}"`)
      return durationMs
    },
  }
}
