import { expect } from 'chai'
import { LIBRARY } from '../../src/destinations/library.ts'
import { segment } from '../../src/destinations/segment.ts'
import { preflight } from '../../src/relay/delivery/preflight.ts'
import { ATTRIBUTES, ID, NOW, SENT_AT, TIMESTAMP, call, encoded, itemsOf, refusal, requestsOf, verdictOn } from './support/exchange.ts'

const config = { api_key: 'write-key-1' }
const destination = { provider: segment, config }
const common = { messageId: ID, timestamp: TIMESTAMP, userId: 'u-1', anonymousId: 'anon-1', context: { library: LIBRARY } }

describe('segment', () => {
  describe('sends', () => {
    const calls = [
      {
        claim: 'a track call without what is null',
        event: call('track'),
        item: { ...common, type: 'track', event: 'Order Completed', properties: { total: 20.5, lines: [{ sku: 'a' }, null] } },
      },
      { claim: 'an identify call', event: call('identify'), item: { ...common, type: 'identify', traits: { email: 'ada@example.com', age: 36 } } },
      { claim: 'a group call', event: call('group'), item: { ...common, type: 'group', groupId: 'acme', traits: { name: 'Acme', seats: 12 } } },
      {
        claim: 'a page call',
        event: call('page'),
        item: { ...common, type: 'page', name: 'Pricing', properties: { url: 'https://example.com/pricing', referrer: 'https://example.com/' } },
      },
      {
        claim: 'an alias call, in the same batch as any other',
        event: call('alias'),
        item: { type: 'alias', messageId: ID, timestamp: TIMESTAMP, userId: 'u-1', previousId: 'guest-7', context: { library: LIBRARY } },
      },
      {
        claim: 'an event of an anonymous visitor without userId',
        event: call('track', { user_id: undefined, properties: {} }),
        item: { type: 'track', messageId: ID, timestamp: TIMESTAMP, anonymousId: 'anon-1', event: 'Order Completed', properties: {}, context: { library: LIBRARY } },
      },
      {
        claim: "the context in Segment's spelling, its own library and no other attribute lost",
        event: call('track', { properties: {}, context: { attributes: { ...ATTRIBUTES, library: { name: 'theirs' } } } }),
        item: {
          ...common,
          type: 'track',
          event: 'Order Completed',
          properties: {},
          context: {
            ip: '203.0.113.9',
            userAgent: 'Mozilla/5.0',
            timezone: 'Europe/Zurich',
            groupId: 'acme',
            locale: 'de-CH',
            page: ATTRIBUTES.page,
            campaign: ATTRIBUTES.campaign,
            app: ATTRIBUTES.app,
            os: ATTRIBUTES.os,
            device: ATTRIBUTES.device,
            tier: 'gold',
            library: LIBRARY,
          },
        },
      },
      {
        claim: "Segment's spelling where both are there",
        event: call('track', { properties: {}, context: { attributes: { ip: '203.0.113.1', ip_address: '203.0.113.2' } } }),
        item: { ...common, type: 'track', event: 'Order Completed', properties: {}, context: { ip: '203.0.113.1', library: LIBRARY } },
      },
    ]
    for (const { claim, event, item } of calls) {
      it(claim, () => {
        expect(requestsOf(destination, [event])).to.deep.equal([
          {
            method: 'POST',
            url: 'https://api.segment.io/v1/batch',
            headers: { 'content-type': 'application/json', 'user-agent': 'signalbook', authorization: 'Basic d3JpdGUta2V5LTE6' },
            body: { batch: [item], sentAt: SENT_AT, writeKey: 'write-key-1' },
          },
        ])
      })
    }

    it('all calls of a batch in one request, in their order', () => {
      const events = [call('identify'), call('track'), call('alias')]
      expect(requestsOf(destination, events)).to.have.length(1)
      expect(requestsOf(destination, events)[0]?.body).to.have.property('batch').that.has.length(3).and.has.nested.property('[2].type', 'alias')
    })

    it('to the region, or to an endpoint with its own path and query', () => {
      const urls = [{ region: 'eu' }, { endpoint: 'https://proxy.example.com/segment/?tenant=a' }].map((more) => requestsOf({ provider: segment, config: { ...config, ...more } }, [call('track')])[0]?.url)
      expect(urls).to.deep.equal(['https://events.eu1.segmentapis.com/v1/batch', 'https://proxy.example.com/segment/v1/batch?tenant=a'])
    })

    it('a message id of 100 characters as its digest, the same in every attempt', () => {
      const keys = [99, 100, 100].map((length) => itemsOf(destination, [call('track', { message_id: 'x'.repeat(length) })])[0]?.key)
      expect(keys).to.deep.equal(['x'.repeat(99), '09ecb6ebc8bcefc733f6f2ec44f791abeed6a99edf0cc31519637898aebd52d8', '09ecb6ebc8bcefc733f6f2ec44f791abeed6a99edf0cc31519637898aebd52d8'])
    })
  })

  it('refuses an event without any id before Segment drops it behind a 200', () => {
    const event = call('track', { user_id: undefined, anonymous_id: undefined })
    expect(preflight(event, segment, segment.limits(config), NOW)?.code).to.equal('missing_identity')
    expect(encoded(destination, event)).to.have.property('items')
  })

  describe('judges', () => {
    const two = itemsOf(destination, [call('track'), call('track', { message_id: 'second' })])
    const one = two.slice(0, 1)
    const answers = [
      { claim: 'success', items: two, answer: { status: 200, body: { success: true } }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      { claim: 'a 200 that denies success as a fault of one of them', items: two, answer: { status: 200, body: { success: false } }, outcome: { kind: 'bisect', message: 'answered 200: {"success":false}' } },
      { claim: 'a 200 without JSON, as of a proxy, as success', items: two, answer: { status: 200, body: 'ok' }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      { claim: '400 for several as a fault of one of them', items: two, answer: { status: 400, body: 'malformed JSON' }, outcome: { kind: 'bisect', message: 'answered 400: malformed JSON' } },
      { claim: '400 for one as its end', items: one, answer: { status: 400, body: 'malformed JSON' }, outcome: { kind: 'all', result: { kind: 'reject', code: 'rejected', message: 'answered 400: malformed JSON' } } },
      { claim: '401 as a wrong write key', items: two, answer: { status: 401 }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_401', message: 'answered 401' } } },
      { claim: '404 as a wrong address', items: two, answer: { status: 404 }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_404', message: 'answered 404' } } },
      { claim: '410 as a fault of the moment', items: two, answer: { status: 410 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 410' } } },
      { claim: '460 as a fault of the moment', items: two, answer: { status: 460, body: 'closed' }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 460: closed' } } },
      { claim: '413 as too many at once', items: two, answer: { status: 413 }, outcome: { kind: 'split', message: 'answered 413' } },
      { claim: '429 with Retry-After', items: two, answer: { status: 429, headers: { 'retry-after': '7' } }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429', afterMs: 7000 } } },
      { claim: '429 with X-RateLimit-Reset', items: two, answer: { status: 429, headers: { 'x-ratelimit-reset': '3' } }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429', afterMs: 3000 } } },
      { claim: '429 without a header', items: two, answer: { status: 429 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429' } } },
      { claim: '503 as a fault of the moment', items: two, answer: { status: 503 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 503' } } },
      { claim: '501 as the end', items: two, answer: { status: 501 }, outcome: { kind: 'all', result: { kind: 'reject', code: 'http_501', message: 'answered 501' } } },
    ]
    for (const { claim, items, answer, outcome } of answers) {
      it(claim, () => expect(verdictOn(destination, items, answer)).to.deep.equal(outcome))
    }
  })

  describe('takes the settings', () => {
    const accepted = [config, { ...config, region: 'eu', batch_size: 2500, flush_interval: '5s', timeout: '30s' }, { api_key: 'x', endpoint: 'http://127.0.0.1:9000' }]
    for (const each of accepted) it(JSON.stringify(each), () => expect(refusal(segment, each)).to.equal(''))

    it('and keeps to them and to the limits of Segment', () => {
      expect(segment.limits({ ...config, batch_size: 20, timeout: '3s', flush_interval: '5s' })).to.deep.equal({
        items: 20,
        bytes: 480_000,
        itemBytes: 32_768,
        concurrency: 4,
        timeoutMs: 3000,
        lingerMs: 5000,
      })
    })
  })

  describe('refuses, naming the key and not the value,', () => {
    const refused: { key: string; config: Record<string, unknown> }[] = [
      { key: 'api_key', config: {} },
      { key: 'api_key', config: { api_key: 'se\ncret' } },
      { key: 'api_key', config: { api_key: '********' } },
      { key: 'region', config: { ...config, region: 'se\ncret' } },
      { key: 'endpoint', config: { ...config, endpoint: 'https://user:se\ncret@example.com' } },
      { key: 'batch_size', config: { ...config, batch_size: 2501 } },
      { key: 'flush_interval', config: { ...config, flush_interval: '2h' } },
      { key: 'timeout', config: { ...config, timeout: 'se\ncret' } },
      { key: 'data_plane_url', config: { ...config, data_plane_url: 'https://example.com' } },
    ]
    for (const each of refused) {
      it(JSON.stringify(each.config), () => {
        expect(refusal(segment, each.config)).to.match(new RegExp(`^config\\.${each.key} `)).and.not.include('se\ncret')
      })
    }
  })
})
