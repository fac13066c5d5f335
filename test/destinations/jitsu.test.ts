import { expect } from 'chai'
import { jitsu } from '../../src/destinations/jitsu.ts'
import { LIBRARY } from '../../src/destinations/library.ts'
import { ATTRIBUTES, ID, TIMESTAMP, call, itemsOf, refusal, requestsOf, verdictOn } from './support/exchange.ts'

const config = { api_key: 'key-id:key-secret', host: 'https://data.example.com' }
const destination = { provider: jitsu, config }
const RECEIVED_AT = '2026-11-21T09:00:01.000Z'
const common = { messageId: ID, timestamp: TIMESTAMP, receivedAt: RECEIVED_AT, userId: 'u-1', anonymousId: 'anon-1', context: { library: LIBRARY } }

describe('jitsu', () => {
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
        claim: 'an alias call',
        event: call('alias'),
        item: { type: 'alias', messageId: ID, timestamp: TIMESTAMP, receivedAt: RECEIVED_AT, userId: 'u-1', previousId: 'guest-7', context: { library: LIBRARY } },
      },
      {
        claim: 'address and browser in the context, the only place where Jitsu looks for them',
        event: call('page', { properties: {}, context: { attributes: { ip_address: ATTRIBUTES.ip_address, user_agent: ATTRIBUTES.user_agent } } }),
        item: { ...common, type: 'page', name: 'Pricing', properties: {}, context: { ip: '203.0.113.9', userAgent: 'Mozilla/5.0', library: LIBRARY } },
      },
      {
        claim: 'an event of nobody',
        event: call('page', { properties: {}, user_id: undefined, anonymous_id: undefined }),
        item: { type: 'page', messageId: ID, timestamp: TIMESTAMP, receivedAt: RECEIVED_AT, name: 'Pricing', properties: {}, context: { library: LIBRARY } },
      },
      {
        claim: 'the digest of a message id that Jitsu would change',
        event: call('page', { properties: {}, message_id: 'order:1' }),
        item: { ...common, messageId: 'c8bd69874287bdec71cfca9f7020bd881c48da864b9e71e17eb284c87b610291', type: 'page', name: 'Pricing', properties: {} },
      },
    ]
    for (const { claim, event, item } of calls) {
      it(claim, () => {
        expect(requestsOf(destination, [event])).to.deep.equal([
          {
            method: 'POST',
            url: 'https://data.example.com/api/s/s2s/batch',
            headers: { 'content-type': 'application/json', 'user-agent': 'signalbook', 'x-write-key': 'key-id:key-secret' },
            body: { batch: [item], context: {} },
          },
        ])
      })
    }

    it('a write key that no header can carry, escaped, so that Jitsu refuses it', () => {
      expect(requestsOf({ provider: jitsu, config: { ...config, api_key: 'ключ:1' } }, [call('track')])[0]?.headers['x-write-key']).to.equal('%D0%BA%D0%BB%D1%8E%D1%87:1')
    })
  })

  describe('judges', () => {
    const two = itemsOf(destination, [call('track'), call('track', { message_id: 'order:1' })])
    const one = two.slice(0, 1)
    const second = two[1]?.key ?? ''
    const answers = [
      { claim: 'success', items: two, answer: { status: 200, body: { ok: true, receivedEvents: 2, okEvents: 2 } }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      {
        claim: 'the events that a 200 names as refused and the others as delivered',
        items: two,
        answer: { status: 200, body: { ok: false, receivedEvents: 2, okEvents: 1, errors: [`Message ID: ${second}: invalid\n type: x`] } },
        outcome: { kind: 'each', results: [{ kind: 'ok' }, { kind: 'reject', code: 'rejected', message: 'Jitsu refused the event: invalid type: x' }] },
      },
      {
        claim: 'a site without destinations as a fault of the settings',
        items: one,
        answer: { status: 200, body: { ok: false, errors: [`Message ID: ${ID}: no destinations found for stream`] } },
        outcome: { kind: 'each', results: [{ kind: 'halt', code: 'no_destination', message: "Jitsu's site has no destination: no destinations found for stream" }] },
      },
      {
        claim: 'a 200 that names an unknown event as a fault of one of them',
        items: two,
        answer: { status: 200, body: { ok: false, errors: [`Message ID: ${second}: bad`, 'Message ID: other: bad'] } },
        outcome: { kind: 'bisect', message: 'answered 200: Message ID: other: bad' },
      },
      { claim: 'a 200 that names none as a fault of one of them', items: two, answer: { status: 200, body: { ok: false } }, outcome: { kind: 'bisect', message: 'answered 200: {"ok":false}' } },
      { claim: '400 for several as a fault of one of them', items: two, answer: { status: 400, body: 'error reading JSON' }, outcome: { kind: 'bisect', message: 'answered 400: error reading JSON' } },
      { claim: '400 for one as its end', items: one, answer: { status: 400, body: 'error reading JSON' }, outcome: { kind: 'all', result: { kind: 'reject', code: 'rejected', message: 'answered 400: error reading JSON' } } },
      { claim: '401 as a wrong write key', items: two, answer: { status: 401, body: 'stream not found' }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_401', message: 'answered 401: stream not found' } } },
      { claim: '413 as too much at once', items: two, answer: { status: 413 }, outcome: { kind: 'split', message: 'answered 413' } },
      { claim: '429 with Retry-After', items: two, answer: { status: 429, headers: { 'retry-after': '2' } }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429', afterMs: 2000 } } },
      { claim: '429 without a header', items: two, answer: { status: 429 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429' } } },
      { claim: '500 as a fault of the moment', items: two, answer: { status: 500 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 500' } } },
    ]
    for (const { claim, items, answer, outcome } of answers) {
      it(claim, () => expect(verdictOn(destination, items, answer)).to.deep.equal(outcome))
    }
  })

  describe('takes the settings', () => {
    const accepted = [config, { ...config, batch_size: 500, flush_interval: '5s', timeout: '30s' }, { api_key: 'no-colon', endpoint: 'http://127.0.0.1:9000' }]
    for (const each of accepted) it(JSON.stringify(each), () => expect(refusal(jitsu, each)).to.equal(''))

    it('and keeps to them', () => {
      expect(jitsu.limits({ ...config, batch_size: 20 })).to.deep.equal({ items: 20, bytes: 1_000_000, itemBytes: 1_000_000, concurrency: 4, timeoutMs: 10_000, lingerMs: 0 })
    })
  })

  describe('refuses, naming the key and not the value,', () => {
    const refused: { key: string; config: Record<string, unknown> }[] = [
      { key: 'api_key', config: { host: config.host } },
      { key: 'api_key', config: { ...config, api_key: 'se\ncret' } },
      { key: 'host', config: { api_key: 'x' } },
      { key: 'host', config: { ...config, host: 'se\ncret' } },
      { key: '(host|endpoint)', config: { ...config, endpoint: 'https://example.com' } },
      { key: 'batch_size', config: { ...config, batch_size: 0 } },
      { key: 'gzip', config: { ...config, gzip: true } },
    ]
    for (const each of refused) {
      it(JSON.stringify(each.config), () => {
        expect(refusal(jitsu, each.config)).to.match(new RegExp(`^config\\.${each.key} `)).and.not.include('se\ncret')
      })
    }
  })
})
