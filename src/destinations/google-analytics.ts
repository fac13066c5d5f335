import { HOUR, MINUTE } from '../duration.ts'
import { bool, checkFields, credential, oneOf, wrong } from './config-fields.ts'
import type { Field } from './config-fields.ts'
import type { HttpProvider, HttpResponse, Outcome, ProviderConfig } from './destination.ts'
import { encodeForAnalytics } from './google-analytics-event.ts'
import { analyticsEventName } from './google-analytics-names.ts'
import { httpSettings, lingerMs, timeoutMs } from './http-settings.ts'
import { answerObject, listOf, quote } from './vendor-answer.ts'
import { addressUnder, jsonArray, jsonPost } from './vendor-request.ts'

const MAX_BATCH_SIZE = 25
/** Google takes 130 KB; the rest is the head's, in which an id can be as long as an event. */
const MAX_BYTES = 90_000
const MAX_AGE_MS = 72 * HOUR
const MAX_FUTURE_MS = 15 * MINUTE

const HOSTS: Record<string, string> = { global: 'https://www.google-analytics.com', eu: 'https://region1.google-analytics.com' }

const FIELDS: Record<string, Field> = {
  api_key: credential,
  api_secret: credential,
  measurement_id: matching('measurement_id', /^G-[A-Z0-9]{4,16}$/, 'the measurement id of a web data stream, such as "G-AB12CD34EF"'),
  firebase_app_id: matching('firebase_app_id', /^\d{1,20}:\d{1,20}:(?:android|ios|web):[0-9a-f]{1,64}$/, 'the Firebase app id of an app data stream, such as "1:1234567890:ios:321abc456def7890"'),
  region: oneOf(...Object.keys(HOSTS)),
  validate: bool,
  identify_event: identifyEvent,
  send_user_id: bool,
  ...httpSettings(MAX_BATCH_SIZE),
}

/**
 * Google Analytics 4 by its Measurement Protocol. It answers 2xx to everything and knows no duplicates, so what it is known to
 * drop is refused before, and an attempt whose answer got lost may count twice.
 */
export const googleAnalytics: HttpProvider = {
  transport: 'http',
  name: 'google-analytics',
  aliases: ['ga4'],
  secretKeys: ['api_key', 'api_secret'],
  supports: { track: 'native', identify: 'mapped', group: 'mapped', page: 'mapped', alias: 'unsupported' },
  // An id in the attributes counts as well, which only `encode` sees.
  identity: 'none',

  checkConfig(config) {
    const checked = checkFields('google-analytics', config, FIELDS)
    if (checked['api_key'] !== undefined && checked['api_secret'] !== undefined) throw wrong('api_secret', 'config.api_key and config.api_secret mean the same; give one of them')
    if (checked['api_key'] === undefined && checked['api_secret'] === undefined) throw wrong('api_key', 'config.api_key is required: a Measurement Protocol API secret of the data stream')
    if (checked['measurement_id'] !== undefined && checked['firebase_app_id'] !== undefined) {
      throw wrong('firebase_app_id', 'config.measurement_id is for a web data stream and config.firebase_app_id for an app; give one of them')
    }
    if (checked['measurement_id'] === undefined && checked['firebase_app_id'] === undefined) {
      throw wrong('measurement_id', 'config.measurement_id is required, such as "G-AB12CD34EF"; for the data stream of an app, config.firebase_app_id instead')
    }
    return checked
  },

  limits: (config) => ({
    items: (config['batch_size'] ?? MAX_BATCH_SIZE) as number,
    bytes: MAX_BYTES,
    itemBytes: MAX_BYTES,
    concurrency: 8,
    timeoutMs: timeoutMs(config),
    lingerMs: lingerMs(config),
    maxAgeMs: MAX_AGE_MS,
    maxFutureMs: MAX_FUTURE_MS,
  }),

  encode: encodeForAnalytics,

  request(items, config) {
    const [first] = items
    const head = JSON.parse(first?.lane ?? '{}') as Record<string, unknown>
    // Each event says its own time; this one is for a server that reads only the request's.
    const { timestamp_micros } = JSON.parse(first?.body ?? '{}') as { timestamp_micros: number }
    const body = `${JSON.stringify({ ...head, timestamp_micros }).slice(0, -1)},"events":${jsonArray(items)}}`
    return jsonPost(addressUnder(base(config), `${config['validate'] === true ? '/debug' : ''}/mp/collect?${credentials(config).toString()}`), body)
  },

  classify: classifyValidation,
}

/** Only the validation server says what is wrong with events; it neither keeps them nor looks at the credentials. */
function classifyValidation(response: HttpResponse, _items: unknown, config: ProviderConfig): Outcome | undefined {
  if (config['validate'] !== true || response.status !== 200) return undefined
  const messages = listOf(answerObject(response)['validationMessages'])
  return messages.length === 0 ? undefined : { kind: 'bisect', message: `the validation server answered: ${quote(messages)}` }
}

function base(config: ProviderConfig): string {
  return (config['endpoint'] ?? HOSTS[(config['region'] ?? 'global') as string]) as string
}

function credentials(config: ProviderConfig): URLSearchParams {
  const stream = config['firebase_app_id'] === undefined ? 'measurement_id' : 'firebase_app_id'
  return new URLSearchParams({ api_secret: (config['api_key'] ?? config['api_secret']) as string, [stream]: config[stream] as string })
}

function matching(key: string, pattern: RegExp, demand: string): Field {
  return (value, name) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw wrong(key, `${name} must be ${demand}`)
  }
}

function identifyEvent(value: unknown, name: string): void {
  if (value === '') return
  const named = typeof value === 'string' ? analyticsEventName(value) : { refusal: 'an event name is a text' }
  if ('refusal' in named) throw wrong('identify_event', `${name} must be an event name that Google Analytics takes, or empty: ${named.refusal}`)
}
