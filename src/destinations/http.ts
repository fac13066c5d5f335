import { Webhook } from 'standardwebhooks'
import { EVENT_TYPES } from './canonical-event.ts'
import type { EventType } from './canonical-event.ts'
import { bool, credential, checkFields, httpUrl, oneOf, someOf, wrong } from './config-fields.ts'
import type { Field } from './config-fields.ts'
import { ALL_NATIVE, SECRET_MASK } from './destination.ts'
import type { HttpProvider, Item, ProviderConfig } from './destination.ts'
import { httpSettings, lingerMs, timeoutMs } from './http-settings.ts'

const MIB = 1024 * 1024
const MAX_BATCH_SIZE = 1000
const DEFAULT_BATCH_SIZE = 100
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
// These describe the connection or the body, and a wrong one would break or smuggle requests.
const RESERVED_HEADERS = new Set(['host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'te', 'trailer', 'expect', 'proxy-connection'])

const headers: Field = (value, name) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length > 50) {
    throw wrong('headers', `${name} must be an object of at most 50 header names and their texts`)
  }
  for (const [header, text] of Object.entries(value)) {
    if (!HEADER_NAME.test(header)) throw wrong('headers', `${name} has a name that is no HTTP header name; use letters, digits and hyphens`)
    if (RESERVED_HEADERS.has(header.toLowerCase())) throw wrong('headers', `${name}.${header} is set by the service itself; leave it out`)
    // Node refuses anything outside Latin-1 when it writes the request.
    if (typeof text !== 'string' || text.length > 4096 || !/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(text)) {
      throw wrong('headers', `${name}.${header} must be a text on one line, Latin-1, at most 4096 characters`)
    }
    if (text === SECRET_MASK) throw wrong('headers', `${name}.${header} must be the text itself: "${SECRET_MASK}" only stands for one that is stored already`)
  }
}

const signingSecret: Field = (value, name) => {
  const isSound = typeof value === 'string' && /^whsec_[A-Za-z0-9+/=]{32,88}$/.test(value) && isBase64(value.slice('whsec_'.length))
  if (!isSound) throw wrong('signing_secret', `${name} must be "whsec_" followed by the base64 of 24 to 64 random bytes`)
}

const FIELDS: Record<string, Field> = {
  url: httpUrl,
  method: oneOf('POST', 'PUT', 'PATCH'),
  headers,
  api_key: credential,
  signing_secret: signingSecret,
  batch: bool,
  format: oneOf('object', 'array', 'ndjson'),
  types: someOf(EVENT_TYPES),
  ...httpSettings(MAX_BATCH_SIZE),
}

/** Any HTTP endpoint: canonical events as JSON, signed as Standard Webhooks when a secret is set. */
export const http: HttpProvider = {
  transport: 'http',
  name: 'http',
  aliases: ['webhook'],
  secretKeys: ['api_key', 'headers', 'signing_secret'],
  supports: ALL_NATIVE,
  identity: 'none',

  checkConfig(config) {
    const checked = checkFields('http', config, FIELDS)
    if (checked['url'] !== undefined && checked['endpoint'] !== undefined) throw wrong('endpoint', 'config.endpoint and config.url mean the same; give one of them')
    if (checked['url'] === undefined && checked['endpoint'] === undefined) throw wrong('url', 'config.url is required: the http:// or https:// URL that receives the events')
    if (checked['batch'] === false && Number(checked['batch_size'] ?? 1) > 1) throw wrong('batch_size', 'config.batch_size must be 1 while config.batch is false')
    if (checked['format'] === 'object' && batchSize(checked) > 1) throw wrong('format', 'config.format "object" holds one event; use "array" or "ndjson" for batches')
    return checked
  },

  limits: (config) => ({
    items: batchSize(config),
    bytes: MIB,
    itemBytes: MIB,
    concurrency: 4,
    timeoutMs: timeoutMs(config),
    lingerMs: lingerMs(config),
  }),

  encode(event, config, json) {
    const types = config['types'] as EventType[] | undefined
    if (types && !types.includes(event.type)) return { skip: 'unsupported_type' }
    return { items: [{ lane: '', key: event.message_id, body: json() }] }
  },

  request(items, config, context) {
    const body = bodyOf(items, config)
    // One event keeps its own id over replays as well, so that a receiver can tell it was there before.
    const id = items.length === 1 && items[0] ? items[0].key : context.batchId
    const secret = config['signing_secret'] as string | undefined
    const at = new Date(context.now)
    return {
      method: (config['method'] ?? 'POST') as 'POST',
      url: (config['url'] ?? config['endpoint']) as string,
      headers: {
        'content-type': config['format'] === 'ndjson' ? 'application/x-ndjson' : 'application/json',
        'user-agent': 'signalbook',
        ...(config['api_key'] === undefined ? {} : { authorization: `Bearer ${headerText(config['api_key'] as string)}` }),
        ...lowerCased(config['headers'] as Record<string, string> | undefined),
        // A message_id is free text; what headers cannot carry is escaped, the same way each time.
        'idempotency-key': headerText(id),
        'webhook-id': headerText(id),
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        ...(secret === undefined ? {} : { 'webhook-signature': new Webhook(secret).sign(headerText(id), at, body) }),
      },
      body,
    }
  },
}

function batchSize(config: ProviderConfig): number {
  const size = config['batch_size'] as number | undefined
  return config['batch'] === true ? (size ?? DEFAULT_BATCH_SIZE) : (size ?? 1)
}

function bodyOf(items: readonly Item[], config: ProviderConfig): string {
  const format = config['format'] ?? (batchSize(config) > 1 || config['batch'] === true ? 'array' : 'object')
  if (format === 'ndjson') return items.map((item) => item.body + '\n').join('')
  if (format === 'array') return `[${items.map((item) => item.body).join(',')}]`
  return items[0]?.body ?? ''
}

function headerText(text: string): string {
  return text.replace(/[^\u0020-\u007e]|^ | $/gu, (character) => encodeURIComponent(character.toWellFormed()))
}

function lowerCased(given: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, text]) => [name.toLowerCase(), text]))
}

function isBase64(text: string): boolean {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text && bytes.length >= 24 && bytes.length <= 64
}
