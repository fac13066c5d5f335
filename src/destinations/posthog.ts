import { SECOND } from '../duration.ts'
import { bool, checkFields, credential, httpUrl, oneOf, wrong } from './config-fields.ts'
import type { Field } from './config-fields.ts'
import { ALL_NATIVE } from './destination.ts'
import type { HttpProvider, HttpResponse, Outcome } from './destination.ts'
import { httpSettings, lingerMs, timeoutMs } from './http-settings.ts'
import { posthogEvent } from './posthog-event.ts'
import { answerObject, listOf, quote } from './vendor-answer.ts'
import { addressUnder, jsonArray, jsonPost } from './vendor-request.ts'

const MAX_BATCH_SIZE = 100
/** RudderStack's connector sends as much; PostHog takes 20 MB. */
const MAX_BYTES = 10_000_000
/** PostHog's 1 MB counts what it adds to an event. */
const MAX_ITEM_BYTES = 900_000
const DEFAULT_HOST = 'https://us.i.posthog.com'
/** As long as the relay waits at most: a billing limit ends with the month or when a person raises it. */
const BILLING_WAIT_MS = 300 * SECOND

// PostHog does not merge these, says so nowhere, and answers as if it had (`isDistinctIdIllegal` in its source).
const GENERIC_IDS = new Set([
  ...['anonymous', 'guest', 'distinctid', 'distinct_id', 'id', 'not_authenticated', 'email', 'undefined', 'null', 'none', 'nan', 'true', 'false', '0'],
  ...['[object object]', '00000000-0000-0000-0000-000000000000'],
])

const projectKey: Field = (value, name) => {
  credential(value, name)
  if ((value as string).startsWith('phx_')) {
    throw wrong('api_key', `${name} must be the project API key, which begins with phc_; a personal API key, which begins with phx_, cannot send events`)
  }
}

const groupType: Field = (value, name) => {
  if (typeof value !== 'string' || !/^[^\u0000-\u001f\u007f]{1,100}$/.test(value)) throw wrong('group_type', `${name} must be a text of 1 to 100 characters on one line`)
}

const FIELDS: Record<string, Field> = {
  api_key: projectKey,
  host: httpUrl,
  group_type: groupType,
  person_profiles: oneOf('always', 'identified_only'),
  geoip_disable: bool,
  historical_migration: bool,
  ...httpSettings(MAX_BATCH_SIZE),
}

/** PostHog's capture service, in the cloud or self-hosted. */
export const posthog: HttpProvider = {
  transport: 'http',
  name: 'posthog',
  aliases: [],
  secretKeys: ['api_key'],
  supports: ALL_NATIVE,
  // A group needs no person, which only `encode` sees.
  identity: 'none',

  checkConfig(config) {
    const checked = checkFields('posthog', config, FIELDS)
    if (checked['api_key'] === undefined) throw wrong('api_key', 'config.api_key is required: the project API key at PostHog, which begins with phc_')
    if (checked['host'] !== undefined && checked['endpoint'] !== undefined) throw wrong('endpoint', 'config.host and config.endpoint mean the same; give one of them')
    return checked
  },

  limits: (config) => ({
    items: (config['batch_size'] ?? MAX_BATCH_SIZE) as number,
    bytes: MAX_BYTES,
    itemBytes: MAX_ITEM_BYTES,
    concurrency: 4,
    timeoutMs: timeoutMs(config),
    lingerMs: lingerMs(config),
  }),

  encode(event, config) {
    if (event.type === 'alias' && [event.user_id, event.previous_id].some((id) => id === undefined || GENERIC_IDS.has(id.trim().toLowerCase()))) {
      return { reject: 'invalid_identity', message: 'posthog merges no ids that stand for nobody in particular, such as "guest" or "null"' }
    }
    const encoded = posthogEvent(event, config)
    if (!encoded) return { reject: 'missing_identity', message: `posthog takes no ${event.type} without user_id or anonymous_id` }
    return { items: [{ lane: '', key: encoded.uuid, body: JSON.stringify(encoded) }] }
  },

  request(items, config, { now }) {
    const head = {
      api_key: config['api_key'],
      ...(config['historical_migration'] === true ? { historical_migration: true } : {}),
      sent_at: new Date(now).toISOString(),
    }
    const base = (config['host'] ?? config['endpoint'] ?? DEFAULT_HOST) as string
    return jsonPost(addressUnder(base, '/batch/'), `${JSON.stringify(head).slice(0, -1)},"batch":${jsonArray(items)}}`)
  },

  classify,
}

function classify(response: HttpResponse): Outcome | undefined {
  if (response.status === 429 && /billing limit/i.test(response.body)) {
    return { kind: 'all', result: { kind: 'retry', message: `answered 429: ${quote(response.body)}`, afterMs: BILLING_WAIT_MS } }
  }
  // Older versions answer "Ok", which is no JSON and nothing to look into.
  if (response.status !== 200 || !response.body.trimStart().startsWith('{')) return undefined
  // Other resources, such as "recordings", have quotas of their own.
  if (!listOf(answerObject(response)['quota_limited']).includes('events')) return undefined
  return { kind: 'all', result: { kind: 'reject', code: 'quota', message: `answered 200 and kept nothing, since the project's quota of events is used up: ${quote(response.body)}` } }
}
