import { expect } from 'chai'
import { clickhouse } from '../../src/destinations/clickhouse.ts'
import type { CanonicalEvent } from '../../src/destinations/canonical-event.ts'
import { batchId } from '../../src/relay/delivery/transmit.ts'
import { ID, TIMESTAMP, call, itemsOf, refusal, requestsOf, verdictOn } from './support/exchange.ts'

const config = { url: 'https://clickhouse.example.com:8443', api_key: 'key-1', table: 'events' }
const destination = { provider: clickhouse, config }
const scalars = { message_id: ID, source: 'web', timestamp: TIMESTAMP, received_at: '2026-11-21T09:00:01.000Z' }
const ids = { user_id: 'u-1', anonymous_id: 'anon-1' }
const context = '{"attributes":{}}'
const withConfig = (more: Record<string, unknown>) => ({ provider: clickhouse, config: { ...config, ...more } })

const CREATE_TABLE =
  'CREATE TABLE default.events (message_id String, type LowCardinality(String), source LowCardinality(String), event_name String, name String, ' +
  'user_id String, anonymous_id String, group_id String, previous_id String, event_version String, properties String, traits String, context String, ' +
  "timestamp DateTime64(3, 'UTC'), received_at DateTime64(3, 'UTC'), original_timestamp Nullable(DateTime64(3, 'UTC'))) " +
  'ENGINE = ReplacingMergeTree(received_at) PARTITION BY toYYYYMM(timestamp) ORDER BY (source, type, toDate(timestamp), message_id) ' +
  'SETTINGS non_replicated_deduplication_window = 1000'

describe('clickhouse', () => {
  describe('inserts', () => {
    const calls = [
      {
        claim: 'a track call, its properties as they were sent',
        event: call('track'),
        row: { ...scalars, ...ids, type: 'track', event_name: 'Order Completed', properties: '{"total":20.5,"coupon":null,"lines":[{"sku":"a","note":null},null]}', context },
      },
      { claim: 'an identify call', event: call('identify'), row: { ...scalars, ...ids, type: 'identify', traits: '{"email":"ada@example.com","age":36,"phone":null}', context } },
      { claim: 'a group call', event: call('group', { traits: {} }), row: { ...scalars, ...ids, type: 'group', group_id: 'acme', traits: '{}', context } },
      { claim: 'a page call of nobody', event: call('page', { user_id: undefined, anonymous_id: undefined, properties: {} }), row: { ...scalars, type: 'page', name: 'Pricing', properties: '{}', context } },
      { claim: 'an alias call', event: call('alias'), row: { ...scalars, type: 'alias', user_id: 'u-1', previous_id: 'guest-7', context } },
      {
        claim: 'version, own time and attributes of a call',
        event: call('track', { properties: {}, event_version: '1-2-0', original_timestamp: '2026-11-21T08:00:00.000Z', context: { attributes: { ip: '203.0.113.9', tags: ['a\nb', 'ß'] } } }),
        row: {
          ...scalars,
          ...ids,
          type: 'track',
          event_name: 'Order Completed',
          properties: '{}',
          event_version: '1-2-0',
          original_timestamp: '2026-11-21T08:00:00.000Z',
          context: '{"attributes":{"ip":"203.0.113.9","tags":["a\\nb","ß"]}}',
        },
      },
    ]
    for (const { claim, event, row } of calls) {
      it(claim, () => {
        const [request, ...others] = requestsOf(destination, [event])
        expect(others).to.deep.equal([])
        expect(request).to.deep.include({
          method: 'POST',
          url:
            'https://clickhouse.example.com:8443/?database=default&query=INSERT+INTO+default.events+FORMAT+JSONEachRow' +
            '&input_format_skip_unknown_fields=1&date_time_input_format=best_effort&insert_deduplication_token=batch_1',
          headers: { 'content-type': 'application/x-ndjson', 'user-agent': 'signalbook', 'x-clickhouse-user': 'default', 'x-clickhouse-key': 'key-1' },
        })
        expect((request?.body as string).split('\n').map((line) => line && (JSON.parse(line) as unknown))).to.deep.equal([row, ''])
      })
    }

    it('a batch as one block, a row per line, in order', () => {
      const [request] = requestsOf(destination, [call('track'), call('page'), call('alias')])
      const types = (request?.body as string).trimEnd().split('\n').map((line) => (JSON.parse(line) as CanonicalEvent).type)
      expect(types).to.deep.equal(['track', 'page', 'alias'])
    })

    const addresses = [
      {
        claim: 'into database and table of the settings',
        more: { database: 'analytics', table: '_raw2' },
        url: 'https://clickhouse.example.com:8443/?database=analytics&query=INSERT+INTO+analytics._raw2+FORMAT+JSONEachRow&input_format_skip_unknown_fields=1&date_time_input_format=best_effort&insert_deduplication_token=batch_1',
      },
      {
        claim: 'asynchronously, waiting for the rows to be written',
        more: { async_insert: true },
        url:
          'https://clickhouse.example.com:8443/?database=default&query=INSERT+INTO+default.events+FORMAT+JSONEachRow&input_format_skip_unknown_fields=1&date_time_input_format=best_effort&insert_deduplication_token=batch_1' +
          '&async_insert=1&wait_for_async_insert=1&async_insert_deduplicate=1',
      },
      {
        claim: 'through an endpoint with its own path and query',
        more: { url: null, endpoint: 'https://proxy.example.com/ch?tenant=a' },
        url: 'https://proxy.example.com/ch/?tenant=a&database=default&query=INSERT+INTO+default.events+FORMAT+JSONEachRow&input_format_skip_unknown_fields=1&date_time_input_format=best_effort&insert_deduplication_token=batch_1',
      },
    ]
    for (const { claim, more, url } of addresses) it(claim, () => expect(requestsOf(withConfig(more), [call('track')])[0]?.url).to.equal(url))

    const credentials = [
      { claim: 'as the user of the settings', more: { username: 'signalbook' }, headers: { 'x-clickhouse-user': 'signalbook', 'x-clickhouse-key': 'key-1' } },
      { claim: 'with a password under that name', more: { api_key: null, password: 'word-1' }, headers: { 'x-clickhouse-user': 'default', 'x-clickhouse-key': 'word-1' } },
      { claim: 'without a password', more: { api_key: null }, headers: { 'x-clickhouse-user': 'default' } },
      { claim: 'with a password that no header can carry in base64', more: { api_key: 'ключ' }, headers: { authorization: 'Basic ZGVmYXVsdDrQutC70Y7Rhw==' } },
      { claim: 'with a password whose spaces would be cut off in base64', more: { api_key: ' k' }, headers: { authorization: 'Basic ZGVmYXVsdDogaw==' } },
      { claim: 'as a user that no header can carry in base64', more: { username: 'ü', api_key: null }, headers: { authorization: 'Basic w7w6' } },
    ]
    for (const { claim, more, headers } of credentials) {
      it(claim, () => expect(requestsOf(withConfig(more), [call('track')])[0]?.headers).to.deep.equal({ 'content-type': 'application/x-ndjson', 'user-agent': 'signalbook', ...headers }))
    }

    it('under a token that is the same in every attempt and another one for a like-named message of another source', () => {
      const token = (events: CanonicalEvent[]) => batchId('warehouse', itemsOf(destination, events))
      expect(token([call('track')])).to.equal(token([call('track')]))
      expect(token([call('track')])).not.to.equal(token([call('track', { source: 'shop' })]))
      expect(token([call('track')])).not.to.equal(token([call('track'), call('track', { message_id: 'second' })]))
    })
  })

  describe('judges', () => {
    const two = itemsOf(destination, [call('track'), call('page', { message_id: 'second' })])
    const one = two.slice(0, 1)
    const coded = (code: number) => ({ 'x-clickhouse-exception-code': String(code) })
    const all = (result: Record<string, unknown>) => ({ kind: 'all', result })
    const answers = [
      { claim: 'success', items: two, answer: { status: 200 }, outcome: all({ kind: 'ok' }) },
      {
        claim: 'an exception behind a 200 as a failure',
        items: two,
        answer: { status: 200, headers: coded(209), body: 'Code: 209. DB::NetException: Timeout' },
        outcome: all({ kind: 'retry', message: 'answered 200: Code: 209. DB::NetException: Timeout' }),
      },
      {
        claim: 'an exception behind a 200 that is only in the body',
        items: two,
        answer: { status: 200, body: 'Code: 27. DB::Exception: Cannot parse input' },
        outcome: { kind: 'bisect', message: 'answered 200: Code: 27. DB::Exception: Cannot parse input' },
      },
      { claim: 'a faulty row behind a 200', items: two, answer: { status: 200, headers: coded(27) }, outcome: { kind: 'bisect', message: 'answered 200: exception 27' } },
      { claim: 'a code of zero as success', items: two, answer: { status: 200, headers: coded(0) }, outcome: all({ kind: 'ok' }) },
      ...[
        { status: 403, code: 192, what: 'an unknown user' },
        { status: 403, code: 193, what: 'a wrong password' },
        { status: 401, code: 194, what: 'a missing password' },
        { status: 403, code: 516, what: 'a failed authentication' },
        { status: 403, code: 497, what: 'a missing right' },
        { status: 500, code: 164, what: 'a user who may only read, behind a 500,' },
        { status: 404, code: 81, what: 'an unknown database' },
        { status: 404, code: 115, what: 'an unknown setting' },
        { status: 404, code: 47, what: 'an unknown identifier' },
        { status: 501, code: 48, what: 'a table that takes no inserts' },
      ].map(({ status, code, what }) => ({
        claim: `${what} as a fault of the settings`,
        items: two,
        answer: { status, headers: coded(code), body: `Code: ${code}. DB::Exception: no` },
        outcome: all({ kind: 'halt', code: `exception_${code}`, message: `answered ${status}: Code: ${code}. DB::Exception: no` }),
      })),
      {
        claim: 'an unknown table as a fault of the settings, and says how to make one',
        items: two,
        answer: { status: 404, headers: coded(60), body: 'Code: 60. DB::Exception: no' },
        outcome: all({ kind: 'halt', code: 'exception_60', message: `answered 404: Code: 60. DB::Exception: no; a table for events is made by: ${CREATE_TABLE}` }),
      },
      ...[
        { status: 400, code: 27, what: 'what cannot be parsed' },
        { status: 400, code: 41, what: 'a time that cannot be parsed' },
        { status: 400, code: 53, what: 'a wrong type' },
        { status: 500, code: 469, what: 'a violated constraint, behind a 500,' },
        { status: 500, code: 349, what: 'a null in an ordinary column, behind a 500,' },
        { status: 400, code: 36, what: 'any other 400' },
      ].map(({ status, code, what }) => ({
        claim: `${what} as a fault of one of them`,
        items: two,
        answer: { status, headers: coded(code), body: 'no' },
        outcome: { kind: 'bisect', message: `answered ${status}: no` },
      })),
      { claim: 'any other 400 for one as its end', items: one, answer: { status: 400, headers: coded(36), body: 'no' }, outcome: all({ kind: 'reject', code: 'rejected', message: 'answered 400: no' }) },
      ...[
        { code: 252, what: 'too many parts' },
        { code: 241, what: 'a lack of memory' },
        { code: 242, what: 'a table that is read-only for now' },
        { code: 999, what: 'a lost Keeper' },
        { code: 202, what: 'too many queries at once' },
        { code: 201, what: 'a used up quota' },
      ].map(({ code, what }) => ({ claim: `${what} as a long wait`, items: two, answer: { status: 500, headers: coded(code), body: 'no' }, outcome: all({ kind: 'retry', message: 'answered 500: no', afterMs: 30_000 }) })),
      {
        claim: 'rows of too many months as too many at once',
        items: two,
        answer: { status: 500, headers: coded(252), body: 'Code: 252. DB::Exception: Too many partitions for single INSERT block (more than 100)' },
        outcome: { kind: 'split', message: 'answered 500: Code: 252. DB::Exception: Too many partitions for single INSERT block (more than 100)' },
      },
      ...[
        { status: 408, code: 159 },
        { status: 503, code: 209 },
        { status: 503, code: 439 },
        { status: 500, code: 1001 },
      ].map(({ status, code }) => ({ claim: `${status} with code ${code} as a fault of the moment`, items: two, answer: { status, headers: coded(code), body: 'no' }, outcome: all({ kind: 'retry', message: `answered ${status}: no` }) })),
      { claim: '413 as too much at once', items: two, answer: { status: 413 }, outcome: { kind: 'split', message: 'answered 413' } },
      { claim: '401 of a proxy as wrong credentials', items: two, answer: { status: 401 }, outcome: all({ kind: 'halt', code: 'http_401', message: 'answered 401' }) },
      { claim: '404 of a proxy as a wrong address', items: two, answer: { status: 404, body: 'not here' }, outcome: all({ kind: 'halt', code: 'http_404', message: 'answered 404: not here' }) },
      { claim: '429 of a proxy with Retry-After', items: two, answer: { status: 429, headers: { 'retry-after': '5' } }, outcome: all({ kind: 'retry', message: 'answered 429', afterMs: 5000 }) },
      { claim: '429 of a proxy without a header', items: two, answer: { status: 429 }, outcome: all({ kind: 'retry', message: 'answered 429' }) },
      { claim: '502 of a proxy as a fault of the moment', items: two, answer: { status: 502 }, outcome: all({ kind: 'retry', message: 'answered 502' }) },
      ...[411, 415].map((status) => ({ claim: `${status} for one as its end`, items: one, answer: { status }, outcome: all({ kind: 'reject', code: 'rejected', message: `answered ${status}` }) })),
      { claim: '501 as the end', items: two, answer: { status: 501 }, outcome: all({ kind: 'reject', code: 'http_501', message: 'answered 501' }) },
    ]
    for (const { claim, items, answer, outcome } of answers) {
      it(claim, () => expect(verdictOn(destination, items, answer)).to.deep.equal(outcome))
    }

    it('an unknown table by the names of the settings', () => {
      const outcome = verdictOn(withConfig({ database: 'analytics', table: 'raw' }), one, { status: 404, headers: coded(60) })
      expect(outcome).to.have.nested.property('result.message').that.includes('CREATE TABLE analytics.raw (')
    })
  })

  describe('takes the settings', () => {
    const accepted = [
      config,
      { endpoint: 'http://127.0.0.1:8123', table: 'events' },
      { ...config, api_key: null, password: 'word', username: 'u', database: 'd', async_insert: false, batch_size: 10_000, flush_interval: '5s', timeout: '30s' },
    ]
    for (const each of accepted) it(JSON.stringify(each), () => expect(refusal(clickhouse, each)).to.equal(''))

    it('and keeps to them, and gathers rows unless the server does', () => {
      const bounds = { items: 1000, bytes: 10_000_000, itemBytes: 10_000_000, concurrency: 2, timeoutMs: 10_000, lingerMs: 1000 }
      expect(clickhouse.limits(config)).to.deep.equal(bounds)
      expect(clickhouse.limits({ ...config, async_insert: true })).to.deep.equal({ ...bounds, lingerMs: 0 })
      expect(clickhouse.limits({ ...config, batch_size: 20, timeout: '3s', flush_interval: '5s' })).to.deep.equal({ ...bounds, items: 20, timeoutMs: 3000, lingerMs: 5000 })
    })

    it('and never shows the password under either name', () => expect(clickhouse.secretKeys).to.deep.equal(['api_key', 'password']))
  })

  describe('refuses, naming the key and not the value,', () => {
    const refused: { key: string; config: Record<string, unknown> }[] = [
      { key: 'url', config: { table: 'events' } },
      { key: 'url', config: { ...config, url: 'se\ncret' } },
      { key: 'url', config: { ...config, url: 'https://user:secret@example.com' } },
      { key: '(url|endpoint)', config: { ...config, endpoint: 'https://example.com' } },
      { key: 'table', config: { url: config.url } },
      { key: 'table', config: { ...config, table: 'events; DROP TABLE se\ncret' } },
      { key: 'database', config: { ...config, database: '1se\ncret' } },
      { key: 'username', config: { ...config, username: 'se\ncret' } },
      { key: 'api_key', config: { ...config, api_key: 'se\ncret' } },
      { key: 'password', config: { ...config, api_key: null, password: 'se\ncret' } },
      { key: '(api_key|password)', config: { ...config, password: 'word' } },
      { key: 'async_insert', config: { ...config, async_insert: 'se\ncret' } },
      { key: 'batch_size', config: { ...config, batch_size: 10_001 } },
      { key: 'flush_interval', config: { ...config, flush_interval: 'se\ncret' } },
      { key: 'timeout', config: { ...config, timeout: '0s' } },
      { key: 'create_table', config: { ...config, create_table: true } },
    ]
    for (const each of refused) {
      it(JSON.stringify(each.config), () => {
        expect(refusal(clickhouse, each.config)).to.match(new RegExp(`^config\\.${each.key} `)).and.not.match(/se\ncret|user:secret/)
      })
    }
  })
})
