import { expect } from 'chai'
import { customerio } from '../../src/destinations/customerio.ts'
import { LIBRARY } from '../../src/destinations/library.ts'
import { ID, SENT_AT, TIMESTAMP, TIME_MS, call, encoded, itemsOf, refusal, requestsOf, verdictOn } from './support/exchange.ts'

const config = { site_id: 'site-1', api_key: 'key-1' }
const destination = { provider: customerio, config }
const pipelines = { provider: customerio, config: { mode: 'pipelines', api_key: 'write-key-1' } }
const timestamp = TIME_MS / 1000
/** Of `ID` and `TIMESTAMP`, computed elsewhere. */
const ULID = '01M7YNAYM09FQHF82NKSRG4A43'
const person = { type: 'person', identifiers: { id: 'u-1' } }
const nobody = { user_id: undefined, anonymous_id: undefined }

describe('customerio', () => {
  describe('sends', () => {
    const calls = [
      {
        claim: 'a track call without what is null',
        event: call('track'),
        operation: { ...person, action: 'event', id: ULID, timestamp, attributes: { total: 20.5, lines: [{ sku: 'a' }, null] }, name: 'Order Completed' },
      },
      {
        claim: 'a track call of a visitor, in whole seconds',
        event: call('track', { user_id: undefined, properties: {}, message_id: 'order-1' }),
        operation: { ...person, action: 'event', identifiers: { anonymous_id: 'anon-1' }, id: '01M7YNAYM01EQY48APT9MRR51V', timestamp, attributes: {}, name: 'Order Completed' },
      },
      {
        claim: 'a page call by its name',
        event: call('page'),
        operation: { ...person, action: 'page', id: ULID, timestamp, attributes: { url: 'https://example.com/pricing', referrer: 'https://example.com/' }, name: 'Pricing' },
      },
      {
        claim: 'a page call without a name by its address',
        event: call('page', { name: undefined, properties: {}, context: { attributes: { page: { url: 'https://example.com/cart' } } } }),
        operation: { ...person, action: 'page', id: ULID, timestamp, attributes: {}, name: 'https://example.com/cart' },
      },
      {
        claim: 'a page call by its address where the settings say so',
        more: { page_name_from: 'url' },
        event: call('page', { properties: { url: 'https://example.com/pricing' } }),
        operation: { ...person, action: 'page', id: ULID, timestamp, attributes: { url: 'https://example.com/pricing' }, name: 'https://example.com/pricing' },
      },
      {
        claim: 'an identify call with the visitor whose events become those of the user',
        event: call('identify'),
        operation: { ...person, action: 'identify', attributes: { email: 'ada@example.com', age: 36, anonymous_id: 'anon-1', _timestamp: timestamp } },
      },
      {
        claim: 'an identify call by e-mail address alone, and the time of creation in seconds',
        event: call('identify', { ...nobody, traits: { email: 'ada@example.com', createdAt: '2020-02-03T04:05:06.700Z' } }),
        operation: { ...person, action: 'identify', identifiers: { email: 'ada@example.com' }, attributes: { email: 'ada@example.com', created_at: 1_580_702_706, _timestamp: timestamp } },
      },
      {
        claim: 'a group call as an object to which the person belongs',
        event: call('group'),
        operation: { type: 'object', action: 'identify', identifiers: { object_type_id: '1', object_id: 'acme' }, attributes: { name: 'Acme', seats: 12 }, cio_relationships: [{ identifiers: { id: 'u-1' } }] },
      },
      {
        claim: 'a group call of a visitor',
        more: { object_type_id: '2' },
        event: call('group', { user_id: undefined, traits: {} }),
        operation: { type: 'object', action: 'identify_anonymous', identifiers: { object_type_id: '2', object_id: 'acme' }, attributes: {}, cio_relationships: [{ identifiers: { anonymous_id: 'anon-1' } }] },
      },
      {
        claim: 'a group call of nobody as an object alone',
        event: call('group', { ...nobody, traits: {} }),
        operation: { type: 'object', action: 'identify', identifiers: { object_type_id: '1', object_id: 'acme' }, attributes: {} },
      },
      {
        claim: 'an alias call, in which the new id is kept and the previous one merged away',
        event: call('alias', { user_id: 'ada@example.com' }),
        operation: { type: 'person', action: 'merge', primary: { email: 'ada@example.com' }, secondary: { id: 'guest-7' } },
      },
      {
        claim: "Customer.io's own ids as such",
        event: call('alias', { user_id: 'u-1', previous_id: 'cio_03000001' }),
        operation: { type: 'person', action: 'merge', primary: { id: 'u-1' }, secondary: { cio_id: '03000001' } },
      },
    ]
    for (const { claim, event, operation, more } of calls) {
      it(claim, () => {
        expect(requestsOf({ provider: customerio, config: { ...config, ...more } }, [event])).to.deep.equal([
          {
            method: 'POST',
            url: 'https://track.customer.io/api/v2/batch',
            headers: { 'content-type': 'application/json', 'user-agent': 'signalbook', authorization: 'Basic c2l0ZS0xOmtleS0x' },
            body: { batch: [operation] },
          },
        ])
      })
    }

    const created = [
      { claim: 'seconds', given: 1_580_702_706, sent: 1_580_702_706 },
      { claim: 'milliseconds', given: 1_580_702_706_700, sent: 1_580_702_706 },
      { claim: 'digits', given: '1580702706', sent: 1_580_702_706 },
      { claim: 'what is no time as it is', given: 'yesterday', sent: 'yesterday' },
    ]
    for (const { claim, given, sent } of created) {
      it(`created_at in ${claim}`, () => {
        const [item] = itemsOf(destination, [call('identify', { traits: { created_at: given, createdAt: '2001-01-01' } })])
        expect((JSON.parse(item?.body ?? '') as { attributes: unknown }).attributes).to.deep.equal({ created_at: sent, anonymous_id: 'anon-1', _timestamp: timestamp })
      })
    }

    it('an event from before 1970 under an id that it can have', () => {
      expect(itemsOf(destination, [call('track', { message_id: 'order-1', timestamp: '1969-12-31T23:59:59.000Z' })])[0]?.key).to.equal('00000000001EQY48APT9MRR51V')
    })

    it('all calls of a batch in one request, in their order', () => {
      const [request, ...others] = requestsOf(destination, [call('identify'), call('alias'), call('track')])
      expect(others).to.deep.equal([])
      expect((request?.body as { batch: { action: string }[] }).batch.map(({ action }) => action)).to.deep.equal(['identify', 'merge', 'event'])
    })

    it('to the region, or to an endpoint with its own path', () => {
      const urls = [
        requestsOf({ provider: customerio, config: { ...config, region: 'eu' } }, [call('track')]),
        requestsOf({ provider: customerio, config: { ...config, endpoint: 'https://proxy.example.com/cio/' } }, [call('track')]),
        requestsOf({ provider: customerio, config: { ...pipelines.config, region: 'eu' } }, [call('track')]),
        requestsOf({ provider: customerio, config: { ...pipelines.config, endpoint: 'https://proxy.example.com/cio/' } }, [call('track')]),
      ].map(([request]) => request?.url)
      expect(urls).to.deep.equal([
        'https://track-eu.customer.io/api/v2/batch',
        'https://proxy.example.com/cio/api/v2/batch',
        'https://cdp-eu.customer.io/v1/batch',
        'https://proxy.example.com/cio/v1/batch',
      ])
    })
  })

  describe('sends to Pipelines', () => {
    const common = { messageId: ID, timestamp: TIMESTAMP, userId: 'u-1', anonymousId: 'anon-1', context: { library: LIBRARY } }
    const calls = [
      { claim: 'a track call', event: call('track'), item: { ...common, type: 'track', event: 'Order Completed', properties: { total: 20.5, lines: [{ sku: 'a' }, null] } } },
      { claim: 'an identify call', event: call('identify'), item: { ...common, type: 'identify', traits: { email: 'ada@example.com', age: 36 } } },
      { claim: 'a group call', event: call('group'), item: { ...common, type: 'group', groupId: 'acme', traits: { name: 'Acme', seats: 12 } } },
      { claim: 'a page call', event: call('page', { properties: {} }), item: { ...common, type: 'page', name: 'Pricing', properties: {} } },
      { claim: 'an alias call', event: call('alias'), item: { type: 'alias', messageId: ID, timestamp: TIMESTAMP, userId: 'u-1', previousId: 'guest-7', context: { library: LIBRARY } } },
      {
        claim: 'the digest of a message id of 100 characters',
        event: call('page', { properties: {}, message_id: 'x'.repeat(100) }),
        item: { ...common, messageId: '09ecb6ebc8bcefc733f6f2ec44f791abeed6a99edf0cc31519637898aebd52d8', type: 'page', name: 'Pricing', properties: {} },
      },
    ]
    for (const { claim, event, item } of calls) {
      it(`${claim}, asking for honest answers`, () => {
        expect(requestsOf(pipelines, [event])).to.deep.equal([
          {
            method: 'POST',
            url: 'https://cdp.customer.io/v1/batch',
            headers: { 'content-type': 'application/json', 'user-agent': 'signalbook', authorization: 'Basic d3JpdGUta2V5LTE6', 'x-strict-mode': '1' },
            body: { batch: [item], sentAt: SENT_AT },
          },
        ])
      })
    }
  })

  describe('refuses the event', () => {
    const refused = [
      { claim: 'track of nobody', to: destination, event: call('track', nobody) },
      { claim: 'page of nobody', to: destination, event: call('page', nobody) },
      { claim: 'identify of a visitor without an e-mail address', to: destination, event: call('identify', { user_id: undefined, traits: { email: 'unknown' } }) },
      { claim: 'alias without previous_id', to: destination, event: call('alias', { previous_id: undefined }) },
      { claim: 'group of nobody in Pipelines', to: pipelines, event: call('group', nobody) },
    ]
    for (const { claim, to, event } of refused) it(claim, () => expect(encoded(to, event)).to.have.property('reject', 'missing_identity'))
  })

  describe('judges', () => {
    const three = itemsOf(destination, [call('track'), call('identify'), call('track', { message_id: 'third' })])
    const one = three.slice(0, 1)
    const errors = [{ batch_index: 1, reason: 'invalid', field: 'attributes.email', message: 'must be an\n e-mail address' }]
    const answers = [
      { claim: 'success', items: three, answer: { status: 200, body: {} }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      {
        claim: 'the operations that a 207 names as refused and the others as delivered',
        items: three,
        answer: { status: 207, body: { errors } },
        outcome: { kind: 'each', results: [{ kind: 'ok' }, { kind: 'reject', code: 'rejected', message: 'answered 207: invalid: attributes.email: must be an e-mail address' }, { kind: 'ok' }] },
      },
      { claim: 'a 207 that names none as success', items: one, answer: { status: 207, body: { errors: [] } }, outcome: { kind: 'each', results: [{ kind: 'ok' }] } },
      { claim: 'a 207 that names one beyond the batch as a fault of one of them', items: one, answer: { status: 207, body: { errors: [{ batch_index: 1 }] } }, outcome: { kind: 'bisect', message: 'answered 207: {"errors":[{"batch_index":1}]}' } },
      { claim: 'a 207 that does not say which as a fault of one of them', items: three, answer: { status: 207, body: { errors: [{ reason: 'bad' }] } }, outcome: { kind: 'bisect', message: 'answered 207: {"errors":[{"reason":"bad"}]}' } },
      { claim: 'a 207 without JSON as a fault of one of them', items: three, answer: { status: 207, body: 'Multi-Status' }, outcome: { kind: 'bisect', message: 'answered 207: Multi-Status' } },
      { claim: '400 for several as a fault of one of them', items: three, answer: { status: 400, body: { meta: { error: 'malformed' } } }, outcome: { kind: 'bisect', message: 'answered 400: {"meta":{"error":"malformed"}}' } },
      {
        claim: '400 for one as its end',
        items: one,
        answer: { status: 400, body: { meta: { error: 'malformed' } } },
        outcome: { kind: 'all', result: { kind: 'reject', code: 'rejected', message: 'answered 400: {"meta":{"error":"malformed"}}' } },
      },
      { claim: '401 as wrong credentials', items: three, answer: { status: 401, body: 'Unauthorized' }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_401', message: 'answered 401: Unauthorized' } } },
      { claim: '413 as too much at once', items: three, answer: { status: 413 }, outcome: { kind: 'split', message: 'answered 413' } },
      { claim: '429 with Retry-After', items: three, answer: { status: 429, headers: { 'retry-after': '4' } }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429', afterMs: 4000 } } },
      { claim: '429 without a header', items: three, answer: { status: 429 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429' } } },
      ...[408, 500, 502, 503, 504, 522, 524].map((status) => ({
        claim: `${status} as a fault of the moment`,
        items: three,
        answer: { status },
        outcome: { kind: 'all', result: { kind: 'retry', message: `answered ${status}` } },
      })),
    ]
    for (const { claim, items, answer, outcome } of answers) {
      it(claim, () => expect(verdictOn(destination, items, answer)).to.deep.equal(outcome))
    }

    const strict = [
      { claim: 'success', answer: { status: 200, body: { success: true } }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      { claim: '400 as a fault of one of them', answer: { status: 400, body: 'invalid' }, outcome: { kind: 'bisect', message: 'answered 400: invalid' } },
      { claim: '401 as a wrong write key', answer: { status: 401 }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_401', message: 'answered 401' } } },
    ]
    for (const { claim, answer, outcome } of strict) {
      it(`${claim}, of Pipelines`, () => expect(verdictOn(pipelines, itemsOf(pipelines, [call('track'), call('page')]), answer)).to.deep.equal(outcome))
    }
  })

  describe('takes the settings', () => {
    const accepted = [
      config,
      { ...config, mode: 'track', region: 'eu', object_type_id: '12', page_name_from: 'url', batch_size: 1000, flush_interval: '5s', timeout: '30s', endpoint: 'http://127.0.0.1:9000' },
      pipelines.config,
      { ...pipelines.config, site_id: null },
    ]
    for (const each of accepted) it(JSON.stringify(each), () => expect(refusal(customerio, each)).to.equal(''))

    it('and keeps to them and to the limits of Customer.io, in line, since merges must not overtake', () => {
      const bounds = { items: 1000, bytes: 499_000, itemBytes: 32_000, concurrency: 1, timeoutMs: 10_000, lingerMs: 0 }
      expect(customerio.limits(config)).to.deep.equal(bounds)
      expect(customerio.limits({ ...config, batch_size: 20, timeout: '3s', flush_interval: '5s' })).to.deep.equal({ ...bounds, items: 20, timeoutMs: 3000, lingerMs: 5000 })
    })
  })

  describe('refuses, naming the key and not the value,', () => {
    const refused: { key: string; config: Record<string, unknown> }[] = [
      { key: 'api_key', config: { site_id: 'site-1' } },
      { key: 'api_key', config: { mode: 'pipelines' } },
      { key: 'api_key', config: { ...config, api_key: 'se\ncret' } },
      { key: 'site_id', config: { api_key: 'key-1' } },
      { key: 'site_id', config: { ...config, site_id: 'se\ncret' } },
      { key: 'site_id', config: { ...config, site_id: 'a:b' } },
      { key: 'site_id', config: { ...config, mode: 'pipelines' } },
      { key: 'page_name_from', config: { ...pipelines.config, page_name_from: 'url' } },
      { key: 'mode', config: { ...config, mode: 'se\ncret' } },
      { key: 'region', config: { ...config, region: 'se\ncret' } },
      { key: 'object_type_id', config: { ...config, object_type_id: 1 } },
      { key: 'page_name_from', config: { ...config, page_name_from: 'title' } },
      { key: 'endpoint', config: { ...config, endpoint: 'se\ncret' } },
      { key: 'batch_size', config: { ...config, batch_size: 1001 } },
      { key: 'timeout', config: { ...config, timeout: 'se\ncret' } },
      { key: 'write_key', config: { ...config, write_key: 'se\ncret' } },
    ]
    for (const each of refused) {
      it(JSON.stringify(each.config), () => {
        expect(refusal(customerio, each.config)).to.match(new RegExp(`^config\\.${each.key} `)).and.not.include('se\ncret')
      })
    }
  })
})
