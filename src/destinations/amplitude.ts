import { classifyAmplitude } from './amplitude-answers.ts'
import { amplitudeEvents } from './amplitude-event.ts'
import type { CanonicalEvent } from './canonical-event.ts'
import { bool, checkFields, credential, oneOf, wholeNumber, wrong } from './config-fields.ts'
import type { Field } from './config-fields.ts'
import type { Encoded, HttpProvider, Item, ProviderConfig } from './destination.ts'
import { httpSettings, lingerMs, timeoutMs } from './http-settings.ts'
import { pageEventNameField } from './page-event-name.ts'
import { addressUnder, jsonArray, jsonPost } from './vendor-request.ts'

const MAX_BATCH_SIZE = 2000
const DEFAULT_BATCH_SIZE = 1000
/** 1 MB at /2/httpapi and 20 MB at /batch, less the envelope. */
const MAX_BYTES = 990_000
const MAX_BATCH_BYTES = 19_900_000
/** The vendor's own default drops shorter ids silently, so it is always sent. */
const DEFAULT_MIN_ID_LENGTH = 1

const USERMAP = 'usermap'
const HOSTS: Record<string, { events: string; usermap: string }> = {
  us: { events: 'https://api2.amplitude.com', usermap: 'https://api.amplitude.com' },
  eu: { events: 'https://api.eu.amplitude.com', usermap: 'https://api.eu.amplitude.com' },
}

const groupType: Field = (value, name) => {
  if (typeof value !== 'string' || !/^[^\u0000-\u001f\u007f]{1,100}$/.test(value)) throw wrong('group_type', `${name} must be a text of 1 to 100 characters on one line`)
}

const FIELDS: Record<string, Field> = {
  api_key: credential,
  region: oneOf(...Object.keys(HOSTS)),
  use_batch: bool,
  min_id_length: wholeNumber(1, 100),
  group_type: groupType,
  page_event_name: pageEventNameField,
  alias_mode: oneOf('off', USERMAP),
  ...httpSettings(MAX_BATCH_SIZE),
}

/** Amplitude's HTTP API V2 or its batch API, and its user mapping for aliases. */
export const amplitude: HttpProvider = {
  transport: 'http',
  name: 'amplitude',
  aliases: [],
  secretKeys: ['api_key'],
  supports: { track: 'native', identify: 'native', group: 'native', page: 'mapped', alias: 'mapped' },
  // A device's id in the attributes counts as well, which only `encode` sees.
  identity: 'none',

  checkConfig(config) {
    const checked = checkFields('amplitude', config, FIELDS)
    if (checked['api_key'] === undefined) throw wrong('api_key', 'config.api_key is required: the API key of the project at Amplitude')
    return checked
  },

  limits(config) {
    const bytes = config['use_batch'] === true ? MAX_BATCH_BYTES : MAX_BYTES
    return {
      items: (config['batch_size'] ?? DEFAULT_BATCH_SIZE) as number,
      bytes,
      itemBytes: MAX_BYTES,
      concurrency: 4,
      timeoutMs: timeoutMs(config),
      lingerMs: lingerMs(config),
    }
  },

  encode(event, config): Encoded {
    if (event.type === 'alias') return encodeAlias(event, config)
    const events = amplitudeEvents(event, config)
    if (events.length === 0) return { reject: 'missing_identity', message: 'amplitude takes no event without user_id, anonymous_id or the attribute device.id' }
    return { items: events.map((each) => ({ lane: 'events', key: each.insert_id, body: JSON.stringify(each) })) }
  },

  request(items, config, { now }) {
    const apiKey = config['api_key'] as string
    if (items[0]?.lane === USERMAP) return usermapRequest(items, config, apiKey)
    const path = config['use_batch'] === true ? '/batch' : '/2/httpapi'
    const options = { min_id_length: config['min_id_length'] ?? DEFAULT_MIN_ID_LENGTH }
    const body = `{"api_key":${JSON.stringify(apiKey)},"events":${jsonArray(items)},"options":${JSON.stringify(options)},"client_upload_time":${JSON.stringify(new Date(now).toISOString())}}`
    return jsonPost(addressUnder(host(config, 'events'), path), body)
  },

  classify: classifyAmplitude,
}

function encodeAlias(event: CanonicalEvent, config: ProviderConfig): Encoded {
  if (config['alias_mode'] !== USERMAP) return { skip: 'unsupported_type' }
  const mapping = { user_id: event.previous_id, global_user_id: event.user_id }
  return { items: [{ lane: USERMAP, key: event.message_id, body: JSON.stringify(mapping) }] }
}

function usermapRequest(items: readonly Item[], config: ProviderConfig, apiKey: string) {
  const form = new URLSearchParams({ api_key: apiKey, mapping: jsonArray(items) })
  return jsonPost(addressUnder(host(config, 'usermap'), '/usermap'), form.toString(), { 'content-type': 'application/x-www-form-urlencoded' })
}

function host(config: ProviderConfig, use: 'events' | 'usermap'): string {
  const own = HOSTS[(config['region'] ?? 'us') as string]
  return (config['endpoint'] ?? own?.[use]) as string
}
