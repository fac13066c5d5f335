import { expect } from 'chai'
import { amplitude } from '../../src/destinations/amplitude.ts'
import type { Item } from '../../src/destinations/destination.ts'
import { ATTRIBUTES, ID, SENT_AT, TIME_MS, call, encoded, itemsOf, refusal, requestsOf, verdictOn } from './support/exchange.ts'

const config = { api_key: '0123456789abcdef0123456789abcdef' }
const destination = { provider: amplitude, config }
const common = { insert_id: ID, user_id: 'u-1', device_id: 'anon-1', time: TIME_MS }

describe('amplitude', () => {
  describe('sends', () => {
    const calls = [
      {
        claim: 'a track call without what is null',
        event: call('track'),
        events: [{ ...common, event_type: 'Order Completed', event_properties: { total: 20.5, lines: [{ sku: 'a' }, null] } }],
      },
      { claim: 'an identify call as $identify', event: call('identify'), events: [{ ...common, event_type: '$identify', user_properties: { $set: { email: 'ada@example.com', age: 36 } } }] },
      {
        claim: "a group call as the user's membership and the group's properties, each with an insert_id of its own",
        event: call('group'),
        events: [
          { ...common, event_type: '$identify', user_properties: { $set: { group: 'acme' } }, groups: { group: 'acme' } },
          { ...common, insert_id: `${ID}:g`, event_type: '$groupidentify', group_properties: { $set: { name: 'Acme', seats: 12 } }, groups: { group: 'acme' } },
        ],
      },
      {
        claim: 'a group call under the type that is set',
        event: call('group', { traits: {} }),
        more: { group_type: 'company' },
        events: [
          { ...common, event_type: '$identify', user_properties: { $set: { company: 'acme' } }, groups: { company: 'acme' } },
          { ...common, insert_id: `${ID}:g`, event_type: '$groupidentify', group_properties: { $set: {} }, groups: { company: 'acme' } },
        ],
      },
      {
        claim: 'a page call as an event named after the page',
        event: call('page'),
        events: [{ ...common, event_type: 'Viewed Pricing', event_properties: { url: 'https://example.com/pricing', referrer: 'https://example.com/', name: 'Pricing' } }],
      },
      {
        claim: 'a page call under the name that is set, whatever stands in the name of the page',
        event: call('page', { name: "$& and $'", properties: {} }),
        more: { page_event_name: 'Page: {name}' },
        events: [{ ...common, event_type: "Page: $& and $'", event_properties: { name: "$& and $'" } }],
      },
      {
        claim: "the context in Amplitude's fields, the device's own id before the anonymous one",
        event: call('track', { properties: {}, context: { attributes: ATTRIBUTES } }),
        events: [
          {
            ...common,
            device_id: 'idfv-1',
            app_version: '4.2',
            os_name: 'iOS',
            os_version: '18.1',
            device_manufacturer: 'Apple',
            device_model: 'iPhone17,1',
            platform: 'ios',
            language: 'de-CH',
            ip: '203.0.113.9',
            event_type: 'Order Completed',
            event_properties: {},
          },
        ],
      },
      {
        claim: 'revenue where it is a number, and only fields of the type that Amplitude takes',
        event: call('track', { properties: { revenue: 9.5, price: '4.75', quantity: 2, product_id: 'p-1', revenueType: 'sale' } }),
        events: [
          {
            ...common,
            event_type: 'Order Completed',
            event_properties: { revenue: 9.5, price: '4.75', quantity: 2, product_id: 'p-1', revenueType: 'sale' },
            revenue: 9.5,
            quantity: 2,
            productId: 'p-1',
            revenueType: 'sale',
          },
        ],
      },
      {
        claim: 'no revenue fields without revenue',
        event: call('track', { properties: { price: 4.75 } }),
        events: [{ ...common, event_type: 'Order Completed', event_properties: { price: 4.75 } }],
      },
      {
        claim: 'an anonymous event by its device',
        event: call('track', { user_id: undefined, properties: {} }),
        events: [{ insert_id: ID, device_id: 'anon-1', time: TIME_MS, event_type: 'Order Completed', event_properties: {} }],
      },
    ]
    for (const { claim, event, events, more } of calls) {
      it(claim, () => {
        expect(requestsOf({ provider: amplitude, config: { ...config, ...more } }, [event])).to.deep.equal([
          {
            method: 'POST',
            url: 'https://api2.amplitude.com/2/httpapi',
            headers: { 'content-type': 'application/json', 'user-agent': 'signalbook' },
            body: { api_key: config.api_key, events, options: { min_id_length: 1 }, client_upload_time: SENT_AT },
          },
        ])
      })
    }

    it('aliases as a form of their own, where they are switched on', () => {
      const requests = requestsOf({ provider: amplitude, config: { ...config, alias_mode: 'usermap' } }, [call('alias'), call('alias', { previous_id: 'a&b' })])
      expect(requests).to.deep.equal([
        {
          method: 'POST',
          url: 'https://api.amplitude.com/usermap',
          headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'signalbook' },
          body:
            'api_key=0123456789abcdef0123456789abcdef&mapping=%5B%7B%22user_id%22%3A%22guest-7%22%2C%22global_user_id%22%3A%22u-1%22%7D%2C' +
            '%7B%22user_id%22%3A%22a%26b%22%2C%22global_user_id%22%3A%22u-1%22%7D%5D',
        },
      ])
    })

    const addresses = [
      { more: { region: 'eu' }, urls: ['https://api.eu.amplitude.com/2/httpapi', 'https://api.eu.amplitude.com/usermap'] },
      { more: { use_batch: true }, urls: ['https://api2.amplitude.com/batch', 'https://api.amplitude.com/usermap'] },
      { more: { endpoint: 'https://proxy.example.com/amp' }, urls: ['https://proxy.example.com/amp/2/httpapi', 'https://proxy.example.com/amp/usermap'] },
    ]
    for (const { more, urls } of addresses) {
      it(`with ${JSON.stringify(more)} to ${urls.join(' and ')}`, () => {
        const requests = requestsOf({ provider: amplitude, config: { ...config, ...more, alias_mode: 'usermap' } }, [call('track'), call('alias')])
        expect(requests.map((request) => request.url)).to.deep.equal(urls)
      })
    }

    it('the shortest id that it shall take', () => {
      expect(requestsOf({ provider: amplitude, config: { ...config, min_id_length: 5 } }, [call('track')])[0]?.body).to.have.nested.property('options.min_id_length', 5)
    })
  })

  it('leaves an alias out unless they are switched on', () => {
    expect(encoded(destination, call('alias'))).to.deep.equal({ skip: 'unsupported_type' })
  })

  it('takes an event that only its device can be told by', () => {
    const event = call('track', { user_id: undefined, anonymous_id: undefined, context: { attributes: { device: { id: 'idfv-1' } } } })
    expect(JSON.parse(itemsOf(destination, [event])[0]?.body ?? '')).to.include({ device_id: 'idfv-1' }).and.not.have.property('user_id')
  })

  it('refuses an event without any id', () => {
    expect(encoded(destination, call('group', { user_id: undefined, anonymous_id: undefined }))).to.deep.equal({
      reject: 'missing_identity',
      message: 'amplitude takes no event without user_id, anonymous_id or the attribute device.id',
    })
  })

  describe('judges', () => {
    const three = itemsOf(destination, [
      call('track', { message_id: 'first' }),
      call('track', { message_id: 'second', user_id: 'u-2', anonymous_id: 'anon-2' }),
      call('track', { message_id: 'third', user_id: undefined, anonymous_id: 'anon-3' }),
    ])
    const one = three.slice(0, 1)
    const aliases: Item[] = itemsOf({ provider: amplitude, config: { ...config, alias_mode: 'usermap' } }, [call('alias'), call('alias', { message_id: 'second' })])
    const refused = (message: string) => ({ kind: 'reject', code: 'rejected', message })
    const answers = [
      { claim: 'success', items: three, answer: { status: 200, body: { code: 200, events_ingested: 3, payload_size_bytes: 700, server_upload_time: 1 } }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      {
        claim: 'the events that a 400 lists as refused and the others as to be sent again at once',
        items: three,
        answer: { status: 400, body: { code: 400, error: 'Invalid request', events_with_invalid_fields: { time: [1] }, events_with_missing_fields: { event_type: [2] } } },
        outcome: {
          kind: 'each',
          results: [
            { kind: 'retry', message: 'answered 400: Invalid request', free: true },
            refused('answered 400: Invalid request (events_with_invalid_fields: time)'),
            refused('answered 400: Invalid request (events_with_missing_fields: event_type)'),
          ],
        },
      },
      {
        claim: 'ids of the wrong length and silenced events as refused',
        items: three,
        answer: { status: 400, body: { error: 'Invalid id length', events_with_invalid_id_lengths: { user_id: [0] }, silenced_events: [1] } },
        outcome: {
          kind: 'each',
          results: [
            refused('answered 400: Invalid id length (events_with_invalid_id_lengths: user_id)'),
            refused('answered 400: Invalid id length (the event is silenced)'),
            { kind: 'retry', message: 'answered 400: Invalid id length', free: true },
          ],
        },
      },
      {
        claim: 'events of a silenced device as refused',
        items: three,
        answer: { status: 400, body: { error: 'Silenced', silenced_devices: ['anon-3'] } },
        outcome: {
          kind: 'each',
          results: [
            { kind: 'retry', message: 'answered 400: Silenced', free: true },
            { kind: 'retry', message: 'answered 400: Silenced', free: true },
            refused('answered 400: Silenced (the device is silenced)'),
          ],
        },
      },
      {
        claim: 'a 400 that lists nothing as a fault of one of them',
        items: three,
        answer: { status: 400, body: { code: 400, error: 'Request missing required field', missing_field: 'events' } },
        outcome: { kind: 'bisect', message: 'answered 400: Request missing required field' },
      },
      {
        claim: 'a 400 that lists none of these as a fault of one of them',
        items: one,
        answer: { status: 400, body: { error: 'Invalid request', events_with_invalid_fields: { time: [7] } } },
        outcome: { kind: 'bisect', message: 'answered 400: Invalid request' },
      },
      {
        claim: 'a wrong key in a 400 as a fault of the settings',
        items: three,
        answer: { status: 400, body: { code: 400, error: 'Invalid API key: 0123' } },
        outcome: { kind: 'all', result: { kind: 'halt', code: 'invalid_api_key', message: 'Amplitude refuses the API key: Invalid API key: 0123' } },
      },
      {
        claim: 'a missing key as a fault of the settings',
        items: three,
        answer: { status: 400, body: { error: 'Request missing required field', missing_field: 'api_key' } },
        outcome: { kind: 'all', result: { kind: 'halt', code: 'invalid_api_key', message: 'Amplitude refuses the API key: Request missing required field' } },
      },
      {
        claim: 'a wrong key in plain text as a fault of the settings',
        items: aliases,
        answer: { status: 400, body: 'invalid API key' },
        outcome: { kind: 'all', result: { kind: 'halt', code: 'invalid_api_key', message: 'Amplitude refuses the API key: invalid API key' } },
      },
      { claim: '401 as a fault of the settings', items: three, answer: { status: 401 }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_401', message: 'answered 401' } } },
      { claim: '413 as too much at once', items: three, answer: { status: 413, body: { code: 413, error: 'Payload too large' } }, outcome: { kind: 'split', message: 'answered 413: {"code":413,"error":"Payload too large"}' } },
      { claim: '413 for one as its end', items: one, answer: { status: 413 }, outcome: { kind: 'all', result: { kind: 'reject', code: 'too_large', message: 'answered 413' } } },
      {
        claim: '429 without a header: it waits the 30 seconds of the documentation',
        items: three,
        answer: { status: 429, body: { code: 429, error: 'Too many requests for some devices and users', eps_threshold: 30, throttled_users: { 'u-1': 31 } } },
        outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429: Too many requests for some devices and users', afterMs: 30_000 } },
      },
      { claim: '429 in plain text', items: aliases, answer: { status: 429, body: 'slow down' }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429: slow down', afterMs: 30_000 } } },
      { claim: '429 with Retry-After', items: three, answer: { status: 429, headers: { 'retry-after': '5' } }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429', afterMs: 5000 } } },
      {
        claim: 'users and devices over their daily quota as refused and the others as to be sent again at once',
        items: three,
        answer: { status: 429, body: { error: 'Over quota', exceeded_daily_quota_users: { 'u-2': 500_001 }, exceeded_daily_quota_devices: { 'anon-3': 500_001 } } },
        outcome: {
          kind: 'each',
          results: [
            { kind: 'retry', message: 'answered 429: Over quota', free: true },
            { kind: 'reject', code: 'quota', message: 'answered 429: Over quota (over the daily quota of this user or device)' },
            { kind: 'reject', code: 'quota', message: 'answered 429: Over quota (over the daily quota of this user or device)' },
          ],
        },
      },
      {
        claim: 'throttled events as to wait and the others not',
        items: three,
        answer: { status: 429, body: { error: 'Throttled', throttled_events: [0] } },
        outcome: {
          kind: 'each',
          results: [
            { kind: 'retry', message: 'answered 429: Throttled', afterMs: 30_000 },
            { kind: 'retry', message: 'answered 429: Throttled', free: true },
            { kind: 'retry', message: 'answered 429: Throttled', free: true },
          ],
        },
      },
      { claim: '408 as a fault of the moment', items: three, answer: { status: 408 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 408' } } },
      { claim: '503 as a fault of the moment', items: three, answer: { status: 503, body: 'unavailable' }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 503: unavailable' } } },
      {
        claim: 'a failure behind a 200 by the status in the body',
        items: three,
        answer: { status: 200, body: { code: 500, error: 'Internal' } },
        outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 500: Internal' } },
      },
      { claim: 'a 413 behind a 200 as too much at once', items: three, answer: { status: 200, body: { code: 413, error: 'Too large' } }, outcome: { kind: 'split', message: 'answered 413: Too large' } },
      { claim: 'success of aliases', items: aliases, answer: { status: 200, body: 'success' }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      {
        claim: 'refused aliases as a fault of one of them',
        items: aliases,
        answer: { status: 400, body: 'Invalid mapping' },
        outcome: { kind: 'bisect', message: 'answered 400: Invalid mapping' },
      },
      { claim: 'aliases that the contract does not include as a fault of the settings', items: aliases, answer: { status: 403 }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_403', message: 'answered 403' } } },
    ]
    for (const { claim, items, answer, outcome } of answers) {
      it(claim, () => expect(verdictOn(destination, items, answer)).to.deep.equal(outcome))
    }
  })

  describe('takes the settings', () => {
    const accepted = [
      config,
      { ...config, region: 'eu', use_batch: true, min_id_length: 5, group_type: 'company', page_event_name: '{name}', alias_mode: 'usermap', batch_size: 2000, flush_interval: '5s', timeout: '30s' },
      { api_key: 'x', endpoint: 'http://127.0.0.1:9000', region: null },
    ]
    for (const each of accepted) it(JSON.stringify(each), () => expect(refusal(amplitude, each)).to.equal(''))

    it('and keeps to the limits of the endpoint in use', () => {
      const limits = { items: 1000, bytes: 990_000, itemBytes: 990_000, concurrency: 4, timeoutMs: 10_000, lingerMs: 0 }
      expect(amplitude.limits(config)).to.deep.equal(limits)
      expect(amplitude.limits({ ...config, use_batch: true, batch_size: 10 })).to.deep.equal({ ...limits, items: 10, bytes: 19_900_000 })
    })
  })

  describe('refuses, naming the key and not the value,', () => {
    const refused: { key: string; config: Record<string, unknown> }[] = [
      { key: 'api_key', config: {} },
      { key: 'api_key', config: { api_key: 'se\ncret' } },
      { key: 'region', config: { ...config, region: 'in' } },
      { key: 'use_batch', config: { ...config, use_batch: 'true' } },
      { key: 'min_id_length', config: { ...config, min_id_length: 0 } },
      { key: 'group_type', config: { ...config, group_type: 'se\ncret' } },
      { key: 'page_event_name', config: { ...config, page_event_name: 'se\ncret' } },
      { key: 'page_event_name', config: { ...config, page_event_name: ' ' } },
      { key: 'alias_mode', config: { ...config, alias_mode: 'on' } },
      { key: 'batch_size', config: { ...config, batch_size: 2001 } },
      { key: 'timeout', config: { ...config, timeout: '3m' } },
      { key: 'secret_key', config: { ...config, secret_key: 'x' } },
    ]
    for (const each of refused) {
      it(JSON.stringify(each.config), () => {
        expect(refusal(amplitude, each.config)).to.match(new RegExp(`^config\\.${each.key} `)).and.not.include('se\ncret')
      })
    }
  })
})
