import { checkFields, credential, httpUrl, wrong } from './config-fields.ts'
import { ALL_NATIVE } from './destination.ts'
import type { HttpProvider, Result } from './destination.ts'
import { fittingId } from './fitting-id.ts'
import { httpSettings, lingerMs, timeoutMs } from './http-settings.ts'
import { segmentItem } from './segment-item.ts'
import { answerObject, answered, listOf, quote } from './vendor-answer.ts'
import { addressUnder, jsonArray, jsonPost } from './vendor-request.ts'

const MAX_BATCH_SIZE = 500
const MAX_BYTES = 1_000_000
/** Jitsu replaces other characters by "_" and cuts what is longer, also where its answers name events. */
const KEPT_MESSAGE_ID = /^[A-Za-z0-9_-]{1,64}$/
const NAMED_ERROR = /^Message ID: ([A-Za-z0-9_-]{1,64}): ([^]*)$/

/** Jitsu's server-to-server API. It answers 200 also where it refused events, and names them. */
export const jitsu: HttpProvider = {
  transport: 'http',
  name: 'jitsu',
  aliases: [],
  secretKeys: ['api_key'],
  supports: ALL_NATIVE,
  identity: 'none',

  checkConfig(config) {
    const checked = checkFields('jitsu', config, { api_key: credential, host: httpUrl, ...httpSettings(MAX_BATCH_SIZE) })
    if (checked['api_key'] === undefined) throw wrong('api_key', 'config.api_key is required: the server write key of the site at Jitsu, in the form keyId:secret')
    if (checked['host'] !== undefined && checked['endpoint'] !== undefined) throw wrong('endpoint', 'config.host and config.endpoint mean the same; give one of them')
    if (checked['host'] === undefined && checked['endpoint'] === undefined) {
      throw wrong('host', 'config.host is required: the http:// or https:// URL of the site at Jitsu, without /api/s')
    }
    return checked
  },

  limits: (config) => ({
    items: (config['batch_size'] ?? MAX_BATCH_SIZE) as number,
    bytes: MAX_BYTES,
    itemBytes: MAX_BYTES,
    concurrency: 4,
    timeoutMs: timeoutMs(config),
    lingerMs: lingerMs(config),
  }),

  encode(event) {
    const key = fittingId(event.message_id, KEPT_MESSAGE_ID, 64)
    return { items: [{ lane: '', key, body: JSON.stringify({ ...segmentItem(event, key), receivedAt: event.received_at }) }] }
  },

  request(items, config) {
    const base = (config['host'] ?? config['endpoint']) as string
    // Headers carry no other characters; such a key is a wrong one, and Jitsu says so.
    const writeKey = (config['api_key'] as string).replaceAll(/[^\u0020-\u007e]/gu, (character) => encodeURIComponent(character.toWellFormed()))
    return jsonPost(addressUnder(base, '/api/s/s2s/batch'), `{"batch":${jsonArray(items)},"context":{}}`, { 'x-write-key': writeKey })
  },

  classify(response, items) {
    if (response.status !== 200) return undefined
    const answer = answerObject(response)
    if (answer['ok'] !== false) return undefined
    const keys = new Set(items.map((item) => item.key))
    const verdicts = new Map<string, Result>()
    for (const error of listOf(answer['errors'])) {
      const [, key = '', reason = ''] = (typeof error === 'string' && NAMED_ERROR.exec(error)) || []
      // Sent again one by one, each event answers for itself; what was taken already, Jitsu knows by its id.
      if (!keys.has(key)) return { kind: 'bisect', message: answered(200, error) }
      verdicts.set(key, verdictOn(quote(reason)))
    }
    if (verdicts.size === 0) return { kind: 'bisect', message: answered(200, response.body) }
    return { kind: 'each', results: items.map((item) => verdicts.get(item.key) ?? { kind: 'ok' }) }
  },
}

function verdictOn(reason: string): Result {
  // Nothing is wrong with such an event: the site leads nowhere, and what it takes is lost.
  if (/\bno dest/i.test(reason)) return { kind: 'halt', code: 'no_destination', message: `Jitsu's site has no destination: ${reason}` }
  return { kind: 'reject', code: 'rejected', message: `Jitsu refused the event: ${reason}` }
}
