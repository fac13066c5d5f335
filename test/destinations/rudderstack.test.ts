import { expect } from 'chai'
import { LIBRARY } from '../../src/destinations/library.ts'
import { rudderstack } from '../../src/destinations/rudderstack.ts'
import { preflight } from '../../src/relay/delivery/preflight.ts'
import { ATTRIBUTES, ID, NOW, SENT_AT, TIMESTAMP, call, itemsOf, refusal, requestsOf, verdictOn } from './support/exchange.ts'

const config = { api_key: 'write-key-1', data_plane_url: 'https://acme.dataplane.rudderstack.com/' }
const destination = { provider: rudderstack, config }
const context = { library: LIBRARY }
const common = { messageId: ID, timestamp: TIMESTAMP, originalTimestamp: TIMESTAMP, sentAt: SENT_AT, channel: 'server', userId: 'u-1', anonymousId: 'anon-1', context }

describe('rudderstack', () => {
  describe('sends', () => {
    const calls = [
      {
        claim: 'a track call without what is null',
        event: call('track'),
        item: { ...common, type: 'track', event: 'Order Completed', properties: { total: 20.5, lines: [{ sku: 'a' }, null] } },
      },
      {
        claim: 'an identify call with its traits in the context as well',
        event: call('identify'),
        item: { ...common, type: 'identify', traits: { email: 'ada@example.com', age: 36 }, context: { ...context, traits: { email: 'ada@example.com', age: 36 } } },
      },
      { claim: 'a group call', event: call('group'), item: { ...common, type: 'group', groupId: 'acme', traits: { name: 'Acme', seats: 12 } } },
      {
        claim: 'a page call',
        event: call('page'),
        item: { ...common, type: 'page', name: 'Pricing', properties: { url: 'https://example.com/pricing', referrer: 'https://example.com/' } },
      },
      {
        claim: 'an alias call',
        event: call('alias', { anonymous_id: 'anon-1' }),
        item: { ...common, type: 'alias', previousId: 'guest-7' },
      },
      {
        claim: "the context in RudderStack's spelling",
        event: call('page', { properties: {}, context: { attributes: { ip_address: ATTRIBUTES.ip_address, user_agent: ATTRIBUTES.user_agent } } }),
        item: { ...common, type: 'page', name: 'Pricing', properties: {}, context: { ip: '203.0.113.9', userAgent: 'Mozilla/5.0', library: LIBRARY } },
      },
      {
        claim: 'the corrected time also where the sender gave another, since the server measures the skew anew',
        event: call('page', { properties: {}, original_timestamp: '2026-11-21T11:00:00.000Z' }),
        item: { ...common, type: 'page', name: 'Pricing', properties: {} },
      },
    ]
    for (const { claim, event, item } of calls) {
      it(claim, () => {
        expect(requestsOf(destination, [event])).to.deep.equal([
          {
            method: 'POST',
            url: 'https://acme.dataplane.rudderstack.com/v1/batch',
            headers: { 'content-type': 'application/json', 'user-agent': 'signalbook', authorization: 'Basic d3JpdGUta2V5LTE6' },
            body: { batch: [item], timestamp: SENT_AT, sentAt: SENT_AT },
          },
        ])
      })
    }

    it('several calls in one request, each with the time of sending', () => {
      const [request] = requestsOf(destination, [call('identify'), call('track')])
      expect((request?.body as { batch: { type: string; sentAt: string }[] }).batch.map(({ type, sentAt }) => [type, sentAt])).to.deep.equal([
        ['identify', SENT_AT],
        ['track', SENT_AT],
      ])
    })
  })

  it('refuses an event without any id, for which RudderStack would refuse the whole request', () => {
    expect(preflight(call('track', { user_id: undefined, anonymous_id: undefined }), rudderstack, rudderstack.limits(config), NOW)?.code).to.equal('missing_identity')
  })

  describe('judges', () => {
    const two = itemsOf(destination, [call('track'), call('track', { message_id: 'second' })])
    const one = two.slice(0, 1)
    const noId = 'request neither has anonymousId nor userId'
    const answers = [
      { claim: 'success', items: two, answer: { status: 200, body: 'OK' }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      { claim: '400 for several as a fault of one of them', items: two, answer: { status: 400, body: noId }, outcome: { kind: 'bisect', message: `answered 400: ${noId}` } },
      { claim: '400 for one as its end', items: one, answer: { status: 400, body: noId }, outcome: { kind: 'all', result: { kind: 'reject', code: 'rejected', message: `answered 400: ${noId}` } } },
      {
        claim: '400 for JSON that it cannot take as a fault of one of them',
        items: two,
        answer: { status: 400, body: 'event is not a valid rudder event' },
        outcome: { kind: 'bisect', message: 'answered 400: event is not a valid rudder event' },
      },
      { claim: '401 as a wrong write key', items: two, answer: { status: 401, body: 'invalid write key' }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_401', message: 'answered 401: invalid write key' } } },
      { claim: '404 as a source that is switched off', items: two, answer: { status: 404, body: 'source is disabled' }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_404', message: 'answered 404: source is disabled' } } },
      { claim: '413 as too much at once', items: two, answer: { status: 413, body: 'request size exceeds max limit' }, outcome: { kind: 'split', message: 'answered 413: request size exceeds max limit' } },
      {
        claim: '413 for one as its end',
        items: one,
        answer: { status: 413, body: 'request size exceeds max limit' },
        outcome: { kind: 'all', result: { kind: 'reject', code: 'too_large', message: 'answered 413: request size exceeds max limit' } },
      },
      { claim: '429 without a header', items: two, answer: { status: 429, body: 'max requests limit reached' }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429: max requests limit reached' } } },
      { claim: '429 with Retry-After', items: two, answer: { status: 429, headers: { 'retry-after': '4' } }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429', afterMs: 4000 } } },
      { claim: '503 as a fault of the moment', items: two, answer: { status: 503 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 503' } } },
      { claim: '504 as a fault of the moment', items: two, answer: { status: 504 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 504' } } },
    ]
    for (const { claim, items, answer, outcome } of answers) {
      it(claim, () => expect(verdictOn(destination, items, answer)).to.deep.equal(outcome))
    }
  })

  describe('takes the settings', () => {
    const accepted = [config, { ...config, batch_size: 500, flush_interval: '5s', timeout: '30s' }, { api_key: 'x', endpoint: 'http://127.0.0.1:9000' }]
    for (const each of accepted) it(JSON.stringify(each), () => expect(refusal(rudderstack, each)).to.equal(''))

    it('and keeps to them and to the limits of RudderStack', () => {
      expect(rudderstack.limits({ ...config, batch_size: 20, timeout: '3s' })).to.deep.equal({ items: 20, bytes: 460_800, itemBytes: 1_048_576, concurrency: 4, timeoutMs: 3000, lingerMs: 0 })
    })
  })

  describe('refuses, naming the key and not the value,', () => {
    const refused: { key: string; config: Record<string, unknown> }[] = [
      { key: 'api_key', config: { data_plane_url: config.data_plane_url } },
      { key: 'api_key', config: { ...config, api_key: 'se\ncret' } },
      { key: 'data_plane_url', config: { api_key: 'x' } },
      { key: 'data_plane_url', config: { ...config, data_plane_url: 'ftp://se\ncret' } },
      { key: '(data_plane_url|endpoint)', config: { ...config, endpoint: 'https://example.com' } },
      { key: 'batch_size', config: { ...config, batch_size: 501 } },
      { key: 'region', config: { ...config, region: 'us' } },
    ]
    for (const each of refused) {
      it(JSON.stringify(each.config), () => {
        expect(refusal(rudderstack, each.config)).to.match(new RegExp(`^config\\.${each.key} `)).and.not.include('se\ncret')
      })
    }
  })
})
