import { checkFields, credential, oneOf, wrong } from './config-fields.ts'
import { ALL_NATIVE } from './destination.ts'
import type { HttpProvider, ProviderConfig } from './destination.ts'
import { fittingId } from './fitting-id.ts'
import { httpSettings, lingerMs, timeoutMs } from './http-settings.ts'
import { segmentItem } from './segment-item.ts'
import { answerObject, answered } from './vendor-answer.ts'
import { addressUnder, basicAuthorization, jsonArray, jsonPost } from './vendor-request.ts'

/** Beyond it, Segment answers 200 and drops events. */
const MAX_BATCH_SIZE = 2500
const DEFAULT_BATCH_SIZE = 500
/** Segment takes 500 KB; the rest is the envelope's. */
const MAX_BYTES = 480_000
const MAX_ITEM_BYTES = 32 * 1024
/** Segment wants fewer than 100 characters. */
const KEPT_MESSAGE_ID = /^[^]{1,99}$/
/** Segment's SDK sends again after these, which elsewhere mean a wrong address or a faulty event. */
const RETRIED = new Set([410, 460])

const HOSTS: Record<string, string> = { us: 'https://api.segment.io', eu: 'https://events.eu1.segmentapis.com' }

/** Segment's HTTP tracking API. It answers 200 for events that it drops later, so what it is known to drop is refused before. */
export const segment: HttpProvider = {
  transport: 'http',
  name: 'segment',
  aliases: [],
  secretKeys: ['api_key'],
  supports: ALL_NATIVE,
  identity: 'user_or_anon',

  checkConfig(config) {
    const checked = checkFields('segment', config, { api_key: credential, region: oneOf(...Object.keys(HOSTS)), ...httpSettings(MAX_BATCH_SIZE) })
    if (checked['api_key'] === undefined) throw wrong('api_key', 'config.api_key is required: the write key of the source at Segment')
    return checked
  },

  limits: (config) => ({
    items: (config['batch_size'] ?? DEFAULT_BATCH_SIZE) as number,
    bytes: MAX_BYTES,
    itemBytes: MAX_ITEM_BYTES,
    concurrency: 4,
    timeoutMs: timeoutMs(config),
    lingerMs: lingerMs(config),
  }),

  encode(event) {
    const key = fittingId(event.message_id, KEPT_MESSAGE_ID, 64)
    return { items: [{ lane: '', key, body: JSON.stringify(segmentItem(event, key)) }] }
  },

  request(items, config, { now }) {
    const writeKey = config['api_key'] as string
    const body = `{"batch":${jsonArray(items)},"sentAt":${JSON.stringify(new Date(now).toISOString())},"writeKey":${JSON.stringify(writeKey)}}`
    return jsonPost(addressUnder(host(config), '/v1/batch'), body, { authorization: basicAuthorization(writeKey, '') })
  },

  classify(response) {
    if (RETRIED.has(response.status)) return { kind: 'all', result: { kind: 'retry', message: answered(response.status, response.body) } }
    if (response.status !== 200 || answerObject(response)['success'] !== false) return undefined
    return { kind: 'bisect', message: answered(200, response.body) }
  },
}

function host(config: ProviderConfig): string {
  return (config['endpoint'] ?? HOSTS[(config['region'] ?? 'us') as string]) as string
}
