import type { CanonicalEvent } from './canonical-event.ts'
import { checkFields, credential, oneOf, wrong } from './config-fields.ts'
import type { Field } from './config-fields.ts'
import { encodeOperation } from './customerio-operation.ts'
import { ALL_NATIVE } from './destination.ts'
import type { Encoded, HttpProvider, HttpRequest, HttpResponse, Item, Outcome, ProviderConfig, Result } from './destination.ts'
import { fittingId } from './fitting-id.ts'
import { httpSettings, lingerMs, timeoutMs } from './http-settings.ts'
import { segmentItem } from './segment-item.ts'
import { answerObject, listOf, objectOf, quote } from './vendor-answer.ts'
import { addressUnder, basicAuthorization, jsonArray, jsonPost } from './vendor-request.ts'

const MAX_BATCH_SIZE = 1000
/** Customer.io takes 500,000; the rest is the envelope's. */
const MAX_BYTES = 499_000
const MAX_ITEM_BYTES = 32_000
const PIPELINES = 'pipelines'
/** As at Segment, whose API the Pipelines API speaks. */
const KEPT_MESSAGE_ID = /^[^]{1,99}$/

const HOSTS: Record<string, { track: string; pipelines: string }> = {
  us: { track: 'https://track.customer.io', pipelines: 'https://cdp.customer.io' },
  eu: { track: 'https://track-eu.customer.io', pipelines: 'https://cdp-eu.customer.io' },
}

/** Settings that mean nothing to the Pipelines API. */
const OF_TRACK_MODE = ['site_id', 'object_type_id', 'page_name_from']

const FIELDS: Record<string, Field> = {
  mode: oneOf('track', PIPELINES),
  site_id: matching('site_id', /^[^\s:\u0000-\u001f\u007f]{1,200}$/, 'the site id of the workspace, without spaces and colons'),
  api_key: credential,
  region: oneOf(...Object.keys(HOSTS)),
  object_type_id: matching('object_type_id', /^[1-9]\d{0,9}$/, 'the number of an object type as a text, such as "1"'),
  page_name_from: oneOf('name', 'url'),
  ...httpSettings(MAX_BATCH_SIZE),
}

/** Customer.io by its Track API, version 2, or its Pipelines API. */
export const customerio: HttpProvider = {
  transport: 'http',
  name: 'customerio',
  aliases: [],
  secretKeys: ['api_key'],
  supports: ALL_NATIVE,
  // Traits and groups can do without, which only `encode` sees.
  identity: 'none',

  checkConfig(config) {
    const checked = checkFields('customerio', config, FIELDS)
    const isPipelines = checked['mode'] === PIPELINES
    if (checked['api_key'] === undefined) throw wrong('api_key', `config.api_key is required: the ${isPipelines ? 'write key of the source in Pipelines' : 'Track API key that belongs to site_id'}`)
    if (!isPipelines && checked['site_id'] === undefined) throw wrong('site_id', 'config.site_id is required: the site id of the workspace; only mode "pipelines" does without')
    const surplus = isPipelines ? OF_TRACK_MODE.find((key) => checked[key] !== undefined) : undefined
    if (surplus !== undefined) throw wrong(surplus, `config.${surplus} belongs to mode "track"; leave it out`)
    return checked
  },

  limits: (config) => ({
    items: (config['batch_size'] ?? MAX_BATCH_SIZE) as number,
    bytes: MAX_BYTES,
    itemBytes: MAX_ITEM_BYTES,
    // In line: a merge must come after the events of both its persons, and only one of them is in its order key.
    concurrency: 1,
    timeoutMs: timeoutMs(config),
    lingerMs: lingerMs(config),
  }),

  encode: (event, config) => (config['mode'] === PIPELINES ? encodeForPipelines(event) : encodeOperation(event, config)),

  request: (items, config, { now }) => (config['mode'] === PIPELINES ? pipelinesRequest(items, config, now) : trackRequest(items, config)),

  classify: (response, items) => (response.status === 207 ? judgePartly(response, items) : undefined),
}

function encodeForPipelines(event: CanonicalEvent): Encoded {
  if (event.user_id === undefined && event.anonymous_id === undefined) {
    return { reject: 'missing_identity', message: `customerio takes no ${event.type} without user_id or anonymous_id` }
  }
  const key = fittingId(event.message_id, KEPT_MESSAGE_ID, 64)
  return { items: [{ lane: '', key, body: JSON.stringify(segmentItem(event, key)) }] }
}

function trackRequest(items: readonly Item[], config: ProviderConfig): HttpRequest {
  return jsonPost(addressUnder(base(config, 'track'), '/api/v2/batch'), `{"batch":${jsonArray(items)}}`, {
    authorization: basicAuthorization(config['site_id'] as string, config['api_key'] as string),
  })
}

function pipelinesRequest(items: readonly Item[], config: ProviderConfig, now: number): HttpRequest {
  const body = `{"batch":${jsonArray(items)},"sentAt":${JSON.stringify(new Date(now).toISOString())}}`
  return jsonPost(addressUnder(base(config, 'pipelines'), '/v1/batch'), body, {
    authorization: basicAuthorization(config['api_key'] as string, ''),
    // Without it, faulty events and wrong keys are answered 200 as well.
    'x-strict-mode': '1',
  })
}

/** 207: the named operations were refused and the others taken. */
function judgePartly(response: HttpResponse, items: readonly Item[]): Outcome {
  const errors = readErrors(response)
  // Taken operations that come again do no harm; a refused one that nobody hears of would.
  if (!errors || errors.some(({ index }) => !items[index])) return { kind: 'bisect', message: `answered 207: ${quote(response.body)}` }
  const results: Result[] = items.map(() => ({ kind: 'ok' }))
  for (const { index, message } of errors) results[index] = { kind: 'reject', code: 'rejected', message }
  return { kind: 'each', results }
}

function readErrors(response: HttpResponse): { index: number; message: string }[] | undefined {
  try {
    return listOf(answerObject(response)['errors']).map((each) => {
      const { batch_index: index, reason, field, message } = objectOf(each)
      return { index: typeof index === 'number' ? index : -1, message: `answered 207: ${[reason, field, message].filter((part) => typeof part === 'string' && part !== '').map(quote).join(': ')}` }
    })
  } catch {
    // The caller asks for the operations one by one.
    return undefined
  }
}

function base(config: ProviderConfig, api: 'track' | 'pipelines'): string {
  return (config['endpoint'] ?? HOSTS[(config['region'] ?? 'us') as string]?.[api]) as string
}

function matching(key: string, pattern: RegExp, demand: string): Field {
  return (value, name) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw wrong(key, `${name} must be ${demand}`)
  }
}
