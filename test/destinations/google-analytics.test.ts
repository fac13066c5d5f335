import { expect } from 'chai'
import { DAY, HOUR, MINUTE } from '../../src/duration.ts'
import { googleAnalytics } from '../../src/destinations/google-analytics.ts'
import { preflight } from '../../src/relay/delivery/preflight.ts'
import { ATTRIBUTES, ID, NOW, TIME_MS, call, encoded, itemsOf, refusal, requestsOf, verdictOn } from './support/exchange.ts'

const config = { api_key: 'api secret', measurement_id: 'G-AB12CD34EF' }
const destination = { provider: googleAnalytics, config }
const timestamp_micros = TIME_MS * 1000
const head = { client_id: 'anon-1', user_id: 'u-1', timestamp_micros }
const engaged = { engagement_time_msec: 1 }

const withConfig = (more: Record<string, unknown>) => ({ provider: googleAnalytics, config: { ...config, ...more } })
const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, n]))

describe('google-analytics', () => {
  describe('sends', () => {
    const calls = [
      {
        claim: 'a track call without lists and what is null',
        event: call('track'),
        body: { ...head, events: [{ name: 'Order_Completed', params: { ...engaged, total: 20.5 }, timestamp_micros }] },
      },
      {
        claim: 'parameters flattened, spelled and cut as Google takes them',
        event: call('track', {
          event_name: ' sign  up ',
          properties: {
            'plan name': 'pro',
            cart: { total: 3, inner: { paid: true } },
            long: 'é'.repeat(101),
            smile: '🙂'.repeat(101),
            page_location: 'x'.repeat(1001),
            ga_own: 1,
            _hidden: 1,
            'with-hyphen': 1,
            constructor: 'kept',
          },
        }),
        body: {
          ...head,
          events: [
            {
              name: 'sign_up',
              params: {
                ...engaged,
                plan_name: 'pro',
                cart_total: 3,
                cart_inner_paid: 'true',
                long: 'é'.repeat(100),
                smile: '🙂'.repeat(100),
                page_location: 'x'.repeat(1000),
                constructor: 'kept',
              },
              timestamp_micros,
            },
          ],
        },
      },
      {
        claim: 'the items of an order, and 25 parameters at most',
        event: call('track', { event_name: 'purchase', properties: { ...numbered(30), constructor: 'left out', items: [{ item_id: 'a', note: null }, 'no product'] } }),
        body: { ...head, events: [{ name: 'purchase', params: { items: [{ item_id: 'a' }], ...engaged, ...numbered(23) }, timestamp_micros }] },
      },
      {
        claim: 'client id, session, address and consent that the attributes name',
        event: call('track', {
          properties: {},
          context: { attributes: { ga_client_id: '1234.5678', ga_session_id: 1_795_000_000, ip_address: '203.0.113.9', consent: { ad_user_data: 'GRANTED', ad_personalization: 'no', other: 'DENIED' } } },
        }),
        body: {
          client_id: '1234.5678',
          user_id: 'u-1',
          ip_override: '203.0.113.9',
          consent: { ad_user_data: 'GRANTED' },
          timestamp_micros,
          events: [{ name: 'Order_Completed', params: { ...engaged, session_id: 1_795_000_000 }, timestamp_micros }],
        },
      },
      {
        claim: 'the user as the client where nothing else is known',
        event: call('track', { anonymous_id: undefined, properties: { engagement_time_msec: 250 } }),
        body: { client_id: 'u-1', user_id: 'u-1', timestamp_micros, events: [{ name: 'Order_Completed', params: { engagement_time_msec: 250 }, timestamp_micros }] },
      },
      {
        claim: 'a visitor without user id',
        event: call('track', { user_id: undefined, properties: {} }),
        body: { client_id: 'anon-1', timestamp_micros, events: [{ name: 'Order_Completed', params: engaged, timestamp_micros }] },
      },
      { claim: 'a group call as join_group', event: call('group'), body: { ...head, events: [{ name: 'join_group', params: { ...engaged, group_id: 'acme' }, timestamp_micros }] } },
      {
        claim: 'a page call as page_view',
        event: call('page', { properties: { url: 'https://example.com/pricing', referrer: 'https://example.com/', path: '/pricing', variant: 'b', title: null } }),
        body: {
          ...head,
          events: [
            {
              name: 'page_view',
              params: { ...engaged, page_location: 'https://example.com/pricing', page_title: 'Pricing', page_referrer: 'https://example.com/', page_path: '/pricing', variant: 'b' },
              timestamp_micros,
            },
          ],
        },
      },
      {
        claim: 'a page call whose page is in the context',
        event: call('page', { name: undefined, properties: {}, context: { attributes: { page: { ...ATTRIBUTES.page, title: 'Cart' } } } }),
        body: {
          ...head,
          events: [{ name: 'page_view', params: { ...engaged, page_location: 'https://example.com/cart', page_title: 'Cart', page_referrer: 'https://search.example/' }, timestamp_micros }],
        },
      },
      {
        claim: 'an identify call as the event that the settings name, its traits as user properties',
        more: { identify_event: 'login' },
        event: call('identify', {
          traits: { plan: 'p'.repeat(40), 'first name': 'Ada', address: { city: 'Zug' }, user_id: 'x', a_name_that_is_much_too_long: 1, tags: ['a'], vip: true, phone: null },
        }),
        body: {
          client_id: 'anon-1',
          user_id: 'u-1',
          user_properties: { plan: { value: 'p'.repeat(36) }, first_name: { value: 'Ada' }, address_city: { value: 'Zug' }, vip: { value: 'true' } },
          timestamp_micros,
          events: [{ name: 'login', params: engaged, timestamp_micros }],
        },
      },
      { claim: 'no user id where the settings say so', more: { send_user_id: false }, event: call('group'), body: { client_id: 'anon-1', timestamp_micros, events: [{ name: 'join_group', params: { ...engaged, group_id: 'acme' }, timestamp_micros }] } },
    ]
    for (const { claim, event, body, more } of calls) {
      it(claim, () => {
        expect(requestsOf(withConfig(more ?? {}), [event])).to.deep.equal([
          {
            method: 'POST',
            url: 'https://www.google-analytics.com/mp/collect?api_secret=api+secret&measurement_id=G-AB12CD34EF',
            headers: { 'content-type': 'application/json', 'user-agent': 'signalbook' },
            body,
          },
        ])
      })
    }

    it('events of an app', () => {
      const app = { provider: googleAnalytics, config: { api_secret: 's', firebase_app_id: '1:23:ios:ab' } }
      const event = call('group', { context: { attributes: { ga_app_instance_id: 'f'.repeat(32), ga_client_id: 'web' } } })
      const [request] = requestsOf(app, [event])
      expect(request?.url).to.equal('https://www.google-analytics.com/mp/collect?api_secret=s&firebase_app_id=1%3A23%3Aios%3Aab')
      expect(request?.body).to.include({ app_instance_id: 'f'.repeat(32) }).and.not.have.property('client_id')
    })

    it('to the region, to the validation server, or to an endpoint with its own path', () => {
      const urls = [{ region: 'eu' }, { validate: true }, { endpoint: 'https://proxy.example.com/ga/' }].map((more) => requestsOf(withConfig(more), [call('track')])[0]?.url)
      const query = 'api_secret=api+secret&measurement_id=G-AB12CD34EF'
      expect(urls).to.deep.equal([
        `https://region1.google-analytics.com/mp/collect?${query}`,
        `https://www.google-analytics.com/debug/mp/collect?${query}`,
        `https://proxy.example.com/ga/mp/collect?${query}`,
      ])
    })
  })

  describe('puts into one request', () => {
    const eventsOf = (requests: ReturnType<typeof requestsOf>) => requests.map(({ body }) => (body as { events: { name: string }[] }).events.map(({ name }) => name))

    it('events of one client and user, in their order and with their own times', () => {
      const later = call('group', { timestamp: '2026-11-21T09:05:00.000Z' })
      const requests = requestsOf(destination, [call('track'), later])
      expect(eventsOf(requests)).to.deep.equal([['Order_Completed', 'join_group']])
      expect(requests[0]?.body).to.include({ timestamp_micros }).and.have.nested.property('events[1].timestamp_micros', timestamp_micros + 300_000_000)
    })

    const apart = [
      { claim: 'clients', changes: { anonymous_id: 'anon-2' } },
      { claim: 'users', changes: { user_id: 'u-2' } },
      { claim: 'addresses', changes: { context: { attributes: { ip: '203.0.113.9' } } } },
      { claim: 'consents', changes: { context: { attributes: { consent: { ad_user_data: 'DENIED' } } } } },
    ]
    for (const { claim, changes } of apart) {
      it(`never events of different ${claim}`, () => expect(eventsOf(requestsOf(destination, [call('track'), call('track', changes)]))).to.deep.equal([['Order_Completed'], ['Order_Completed']]))
    }

    it('never user properties and events that came before or after them', () => {
      const requests = requestsOf(withConfig({ identify_event: 'login' }), [call('track'), call('identify'), call('identify', { traits: { age: 37 } })])
      expect(eventsOf(requests)).to.deep.equal([['Order_Completed'], ['login'], ['login']])
    })
  })

  describe('leaves out', () => {
    it('alias calls, which Google has no place for', () => expect(googleAnalytics.supports.alias).to.equal('unsupported'))
    it('identify calls unless an event is named for them', () => {
      expect(encoded(destination, call('identify'))).to.deep.equal({ skip: 'unsupported_type' })
      expect(encoded(withConfig({ identify_event: '' }), call('identify'))).to.deep.equal({ skip: 'unsupported_type' })
    })
  })

  describe('refuses the event, which Google would drop behind a 204,', () => {
    const refused = [
      { claim: 'of nobody', event: call('track', { user_id: undefined, anonymous_id: undefined }), reject: 'missing_identity' },
      { claim: 'whose name begins with a digit', event: call('track', { event_name: '1st order' }), reject: 'invalid_name' },
      { claim: 'whose name holds a hyphen', event: call('track', { event_name: 'sign-up' }), reject: 'invalid_name' },
      { claim: 'whose name is too long', event: call('track', { event_name: 'x'.repeat(41) }), reject: 'invalid_name' },
      { claim: 'whose name is reserved', event: call('track', { event_name: 'session start' }), reject: 'invalid_name' },
      { claim: 'whose prefix is reserved', event: call('track', { event_name: 'google_thing' }), reject: 'invalid_name' },
    ]
    for (const { claim, event, reject } of refused) it(claim, () => expect(encoded(destination, event)).to.have.property('reject', reject))

    const at = (offsetMs: number) => preflight(call('track', { timestamp: new Date(NOW + offsetMs).toISOString() }), googleAnalytics, googleAnalytics.limits(config), NOW)?.code
    it('older than 72 hours', () => expect([at(-72 * HOUR), at(-72 * HOUR - 1), at(-30 * DAY)]).to.deep.equal([undefined, 'too_old', 'too_old']))
    it('more than 15 minutes ahead', () => expect([at(15 * MINUTE), at(15 * MINUTE + 1)]).to.deep.equal([undefined, 'in_future']))
  })

  it('takes an event of nobody whose client is named in the attributes', () => {
    const event = call('track', { user_id: undefined, anonymous_id: undefined, context: { attributes: { ga_client_id: '1.2' } } })
    expect(preflight(event, googleAnalytics, googleAnalytics.limits(config), NOW)).to.equal(undefined)
    expect(itemsOf(destination, [event])).to.have.length(1)
  })

  it('has no key that Google would know a duplicate by, and names items by their messages', () => {
    expect(itemsOf(destination, [call('track')])[0]?.key).to.equal(ID)
  })

  describe('judges', () => {
    const two = itemsOf(destination, [call('track'), call('track', { message_id: 'second' })])
    const one = two.slice(0, 1)
    const validationMessages = [{ fieldPath: 'events', description: 'Event at index: [0] has invalid name', validationCode: 'NAME_INVALID' }]
    const said = '[{"fieldPath":"events","description":"Event at index: [0] has invalid name","validationCode":"NAME_INVALID"}]'
    const answers = [
      { claim: 'success', items: two, answer: { status: 204 }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      { claim: 'an ordinary 200 without a look into it', items: two, answer: { status: 200, body: { validationMessages } }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      { claim: 'a clean validation', validate: true, items: two, answer: { status: 200, body: { validationMessages: [] } }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      { claim: 'what validation found', validate: true, items: two, answer: { status: 200, body: { validationMessages } }, outcome: { kind: 'bisect', message: `the validation server answered: ${said}` } },
      { claim: 'a validation server that answers 503', validate: true, items: two, answer: { status: 503 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 503' } } },
      { claim: '400 for several as a fault of one of them', items: two, answer: { status: 400 }, outcome: { kind: 'bisect', message: 'answered 400' } },
      { claim: '400 for one as its end, since Google wants nothing sent twice', items: one, answer: { status: 400 }, outcome: { kind: 'all', result: { kind: 'reject', code: 'rejected', message: 'answered 400' } } },
      { claim: '401 as a wrong secret', items: two, answer: { status: 401 }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_401', message: 'answered 401' } } },
      { claim: '413 as too much at once', items: two, answer: { status: 413 }, outcome: { kind: 'split', message: 'answered 413' } },
      { claim: '429 with Retry-After', items: two, answer: { status: 429, headers: { 'retry-after': '9' } }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429', afterMs: 9000 } } },
      { claim: '429 without a header', items: two, answer: { status: 429 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429' } } },
      { claim: '500 as a fault of the moment', items: two, answer: { status: 500 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 500' } } },
      { claim: '302 as a wrong address', items: two, answer: { status: 302 }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_302', message: 'answered 302' } } },
    ]
    for (const { claim, items, answer, outcome, validate } of answers) {
      it(claim, () => expect(verdictOn(withConfig(validate ? { validate } : {}), items, answer)).to.deep.equal(outcome))
    }
  })

  describe('takes the settings', () => {
    const accepted = [
      config,
      { api_secret: 's', firebase_app_id: '1:1234567890:android:321abc456def7890' },
      { ...config, region: 'eu', validate: true, identify_event: 'login', send_user_id: false, batch_size: 25, flush_interval: '5s', timeout: '30s', endpoint: 'http://127.0.0.1:9000' },
    ]
    for (const each of accepted) it(JSON.stringify(each), () => expect(refusal(googleAnalytics, each)).to.equal(''))

    it('and keeps to them and to the limits of Google', () => {
      const bounds = { items: 25, bytes: 90_000, itemBytes: 90_000, concurrency: 8, timeoutMs: 10_000, lingerMs: 0, maxAgeMs: 259_200_000, maxFutureMs: 900_000 }
      expect(googleAnalytics.limits(config)).to.deep.equal(bounds)
      expect(googleAnalytics.limits({ ...config, batch_size: 1, timeout: '3s', flush_interval: '5s' })).to.deep.equal({ ...bounds, items: 1, timeoutMs: 3000, lingerMs: 5000 })
    })

    it('and never shows the secret under either name', () => expect(googleAnalytics.secretKeys).to.deep.equal(['api_key', 'api_secret']))
  })

  describe('refuses, naming the key and not the value,', () => {
    const refused: { key: string; config: Record<string, unknown> }[] = [
      { key: 'api_key', config: { measurement_id: config.measurement_id } },
      { key: 'api_key', config: { ...config, api_key: 'se\ncret' } },
      { key: 'api_secret', config: { measurement_id: config.measurement_id, api_secret: 'se\ncret' } },
      { key: '(api_key|api_secret)', config: { ...config, api_secret: 's' } },
      { key: 'measurement_id', config: { api_key: 's' } },
      { key: 'measurement_id', config: { ...config, measurement_id: 'se\ncret' } },
      { key: 'measurement_id', config: { ...config, firebase_app_id: '1:23:ios:ab' } },
      { key: 'firebase_app_id', config: { api_key: 's', firebase_app_id: 'se\ncret' } },
      { key: 'region', config: { ...config, region: 'us' } },
      { key: 'validate', config: { ...config, validate: 'se\ncret' } },
      { key: 'identify_event', config: { ...config, identify_event: 'se\ncret-' } },
      { key: 'identify_event', config: { ...config, identify_event: 'first_open' } },
      { key: 'identify_event', config: { ...config, identify_event: 5 } },
      { key: 'send_user_id', config: { ...config, send_user_id: 'se\ncret' } },
      { key: 'endpoint', config: { ...config, endpoint: 'ftp://se\ncret' } },
      { key: 'batch_size', config: { ...config, batch_size: 26 } },
      { key: 'timeout', config: { ...config, timeout: '5m' } },
      { key: 'app_id', config: { ...config, app_id: 'x' } },
    ]
    for (const each of refused) {
      it(JSON.stringify(each.config), () => {
        expect(refusal(googleAnalytics, each.config)).to.match(new RegExp(`^config\\.${each.key} `)).and.not.include('se\ncret')
      })
    }
  })
})
