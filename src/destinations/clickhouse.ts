import { SECOND } from '../duration.ts'
import { classifyClickhouse } from './clickhouse-answers.ts'
import { clickhouseRow } from './clickhouse-table.ts'
import { bool, checkFields, credential, httpUrl, wrong } from './config-fields.ts'
import type { Field } from './config-fields.ts'
import { ALL_NATIVE } from './destination.ts'
import type { HttpProvider } from './destination.ts'
import { httpSettings, lingerMs, timeoutMs } from './http-settings.ts'
import { addressUnder, basicAuthorization, jsonPost } from './vendor-request.ts'

/** One block of ClickHouse, so that an insert is taken whole or not at all. */
const MAX_BATCH_SIZE = 10_000
const DEFAULT_BATCH_SIZE = 1000
const MAX_BYTES = 10_000_000
/** Each insert is a part on disk, and ClickHouse refuses more when they come faster than it can merge them. */
const DEFAULT_LINGER_MS = SECOND
/** ASCII that neither begins nor ends with a space, which servers cut off. */
const PLAIN_TEXT = /^(?! )[\u0020-\u007e]*(?<! )$/

const FIELDS: Record<string, Field> = {
  url: httpUrl,
  username: credential,
  api_key: credential,
  password: credential,
  database: identifier('database'),
  table: identifier('table'),
  async_insert: bool,
  ...httpSettings(MAX_BATCH_SIZE),
}

/** A ClickHouse server by its HTTP interface: one row per event. */
export const clickhouse: HttpProvider = {
  transport: 'http',
  name: 'clickhouse',
  aliases: [],
  secretKeys: ['api_key', 'password'],
  supports: ALL_NATIVE,
  identity: 'none',

  checkConfig(config) {
    const checked = checkFields('clickhouse', config, FIELDS)
    if (checked['url'] !== undefined && checked['endpoint'] !== undefined) throw wrong('endpoint', 'config.url and config.endpoint mean the same; give one of them')
    if (checked['api_key'] !== undefined && checked['password'] !== undefined) throw wrong('password', 'config.api_key and config.password mean the same; give one of them')
    if (checked['url'] === undefined && checked['endpoint'] === undefined) throw wrong('url', 'config.url is required: the http:// or https:// URL of the HTTP interface, such as "https://clickhouse.example.com:8443"')
    if (checked['table'] === undefined) throw wrong('table', 'config.table is required: the table that receives one row per event')
    return checked
  },

  limits: (config) => ({
    items: (config['batch_size'] ?? DEFAULT_BATCH_SIZE) as number,
    bytes: MAX_BYTES,
    itemBytes: MAX_BYTES,
    concurrency: 2,
    timeoutMs: timeoutMs(config),
    // With asynchronous inserts the server itself gathers rows.
    lingerMs: config['flush_interval'] === undefined && config['async_insert'] !== true ? DEFAULT_LINGER_MS : lingerMs(config),
  }),

  encode(event) {
    // The source belongs to it: two sources may number their messages alike, and the second batch would be dropped as a duplicate.
    return { items: [{ lane: '', key: `${event.source}/${event.message_id}`, body: JSON.stringify(clickhouseRow(event)) }] }
  },

  request(items, config, { batchId }) {
    const database = (config['database'] ?? 'default') as string
    const password = (config['api_key'] ?? config['password']) as string | undefined
    const settings = new URLSearchParams({
      database,
      query: `INSERT INTO ${database}.${config['table'] as string} FORMAT JSONEachRow`,
      input_format_skip_unknown_fields: '1',
      date_time_input_format: 'best_effort',
      insert_deduplication_token: batchId,
      // Waiting for the flush: an answer before it would be a promise that a crash breaks.
      ...(config['async_insert'] === true ? { async_insert: '1', wait_for_async_insert: '1', async_insert_deduplicate: '1' } : {}),
    })
    return jsonPost(addressUnder((config['url'] ?? config['endpoint']) as string, `/?${settings.toString()}`), items.map((item) => item.body + '\n').join(''), {
      'content-type': 'application/x-ndjson',
      ...authentication((config['username'] ?? 'default') as string, password),
    })
  },

  classify: classifyClickhouse,
}

function identifier(key: string): Field {
  return (value, name) => {
    if (typeof value !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(value)) {
      throw wrong(key, `${name} must be a name of 1 to 128 letters, digits and underscores that does not begin with a digit`)
    }
  }
}

/** By ClickHouse's own headers; what headers cannot carry unchanged goes as RFC 7617 has it, in base64. */
function authentication(username: string, password: string | undefined): Record<string, string> {
  if ([username, password ?? ''].every((text) => PLAIN_TEXT.test(text))) {
    return { 'x-clickhouse-user': username, ...(password === undefined ? {} : { 'x-clickhouse-key': password }) }
  }
  return { authorization: basicAuthorization(username, password ?? '') }
}
