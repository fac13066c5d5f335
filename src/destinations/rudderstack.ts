import { checkFields, credential, httpUrl, wrong } from './config-fields.ts'
import { ALL_NATIVE } from './destination.ts'
import type { HttpProvider } from './destination.ts'
import { httpSettings, lingerMs, timeoutMs } from './http-settings.ts'
import { segmentItem } from './segment-item.ts'
import { addressUnder, basicAuthorization, jsonPost } from './vendor-request.ts'

const KIB = 1024
const MAX_BATCH_SIZE = 500
/** Where RudderStack's SDK sends; its server takes 4000 KiB unless set otherwise. The SDK only warns of items over 32 KB. */
const MAX_BYTES = 450 * KIB
const MAX_ITEM_BYTES = 1024 * KIB

/** A RudderStack data plane. It refuses a whole request for one item without any id, hence `identity`. */
export const rudderstack: HttpProvider = {
  transport: 'http',
  name: 'rudderstack',
  aliases: [],
  secretKeys: ['api_key'],
  supports: ALL_NATIVE,
  identity: 'user_or_anon',

  checkConfig(config) {
    const checked = checkFields('rudderstack', config, { api_key: credential, data_plane_url: httpUrl, ...httpSettings(MAX_BATCH_SIZE) })
    if (checked['api_key'] === undefined) throw wrong('api_key', 'config.api_key is required: the write key of the source at RudderStack')
    if (checked['data_plane_url'] !== undefined && checked['endpoint'] !== undefined) {
      throw wrong('endpoint', 'config.data_plane_url and config.endpoint mean the same; give one of them')
    }
    if (checked['data_plane_url'] === undefined && checked['endpoint'] === undefined) {
      throw wrong('data_plane_url', 'config.data_plane_url is required: the http:// or https:// URL of the data plane, without /v1/batch')
    }
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

  encode(event) {
    const item = segmentItem(event, event.message_id)
    const body = {
      ...item,
      channel: 'server',
      // Without the sender's clock skew: the server measures it anew, between `sentAt` and its own clock.
      originalTimestamp: event.timestamp,
      ...(item.type === 'identify' ? { context: { ...item.context, traits: item.traits } } : {}),
    }
    return { items: [{ lane: '', key: event.message_id, body: JSON.stringify(body) }] }
  },

  request(items, config, { now }) {
    const sentAt = JSON.stringify(new Date(now).toISOString())
    // Each item carries the time of sending, which is another one in every attempt.
    const batch = items.map((item) => `{"sentAt":${sentAt},${item.body.slice(1)}`).join(',')
    const base = (config['data_plane_url'] ?? config['endpoint']) as string
    return jsonPost(addressUnder(base, '/v1/batch'), `{"batch":[${batch}],"timestamp":${sentAt},"sentAt":${sentAt}}`, {
      authorization: basicAuthorization(config['api_key'] as string, ''),
    })
  },
}
