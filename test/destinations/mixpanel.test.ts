import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { mixpanel } from '../../src/destinations/mixpanel.ts'
import { preflight } from '../../src/relay/delivery/preflight.ts'
import { ATTRIBUTES, ID, NOW, TIME_MS, call, encoded, itemsOf, refusal, requestsOf, verdictOn } from './support/exchange.ts'

const config = { api_key: 'project-token-1' }
const original = { ...config, identity_merge: 'original' }
const destination = { provider: mixpanel, config }
const common = { mp_lib: 'signalbook', $insert_id: ID, time: TIME_MS, distinct_id: 'u-1', $device_id: 'anon-1', $user_id: 'u-1' }
const HEADERS = { 'content-type': 'application/json', 'user-agent': 'signalbook' }

/** An id that is not sent as it is, the way Mixpanel's limit of 36 characters wants it. */
const digest = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 36)

const imported = (event: string, properties: Record<string, unknown>) => ({
  method: 'POST',
  url: 'https://api.mixpanel.com/import?strict=1',
  headers: { ...HEADERS, authorization: 'Basic cHJvamVjdC10b2tlbi0xOg==' },
  body: [{ event, properties }],
})
const engaged = (update: Record<string, unknown>) => ({
  method: 'POST',
  url: 'https://api.mixpanel.com/engage?verbose=1&ip=0',
  headers: HEADERS,
  body: [{ $token: 'project-token-1', ...update }],
})
const grouped = (update: Record<string, unknown>) => ({ ...engaged(update), url: 'https://api.mixpanel.com/groups?verbose=1&ip=0' })

describe('mixpanel', () => {
  describe('sends', () => {
    const calls = [
      {
        claim: 'a track call without what is null, by user and device',
        event: call('track'),
        requests: [imported('Order Completed', { ...common, total: 20.5, lines: [{ sku: 'a' }, null] })],
      },
      {
        claim: 'a track call of an anonymous visitor by the device alone',
        event: call('track', { user_id: undefined, properties: {} }),
        requests: [imported('Order Completed', { mp_lib: 'signalbook', $insert_id: ID, time: TIME_MS, distinct_id: '$device:anon-1', $device_id: 'anon-1' })],
      },
      {
        claim: 'a track call of nobody',
        event: call('track', { user_id: undefined, anonymous_id: undefined, properties: {} }),
        requests: [imported('Order Completed', { mp_lib: 'signalbook', $insert_id: ID, time: TIME_MS, distinct_id: '' })],
      },
      {
        claim: 'a track call by its one id in a project with the original merge',
        config: original,
        event: call('track', { properties: {} }),
        requests: [imported('Order Completed', { mp_lib: 'signalbook', $insert_id: ID, time: TIME_MS, distinct_id: 'u-1' })],
      },
      {
        claim: 'an anonymous track call without the prefix of a device in a project with the original merge',
        config: original,
        event: call('track', { user_id: undefined, properties: {} }),
        requests: [imported('Order Completed', { mp_lib: 'signalbook', $insert_id: ID, time: TIME_MS, distinct_id: 'anon-1' })],
      },
      {
        claim: 'the digest of a message id that Mixpanel does not take',
        event: call('track', { message_id: 'order:1', properties: {} }),
        requests: [imported('Order Completed', { ...common, $insert_id: 'c8bd69874287bdec71cfca9f7020bd881c48' })],
      },
      {
        claim: 'what Mixpanel needs itself, whatever properties have the same name',
        event: call('track', { properties: { time: 1, distinct_id: 'x', $insert_id: 'x', $user_id: 'x', $device_id: 'x', $group_id: 'x', $os: 'theirs' }, context: { attributes: { os: { name: 'iOS' } } } }),
        requests: [imported('Order Completed', { ...common, $os: 'theirs' })],
      },
      {
        claim: "the context under Mixpanel's names and the group as a list",
        event: call('track', { properties: {}, context: { attributes: { ...ATTRIBUTES, library: { name: 'analytics.js' } } } }),
        requests: [
          imported('Order Completed', {
            ...common,
            ip: '203.0.113.9',
            $current_url: 'https://example.com/cart',
            $referrer: 'https://search.example/',
            $os: 'iOS',
            $os_version: '18.1',
            $app_version_string: '4.2',
            utm_source: 'newsletter',
            utm_medium: 'email',
            utm_campaign: 'autumn',
            utm_term: 'shoes',
            utm_content: 'top',
            mp_lib: 'analytics.js',
            $group_id: ['acme'],
          }),
        ],
      },
      {
        claim: 'a page call as an event named after the page, with the address of the page',
        event: call('page', { context: { attributes: { page: { url: 'https://example.com/elsewhere' } } } }),
        requests: [
          imported('Viewed Pricing', {
            ...common,
            $current_url: 'https://example.com/pricing',
            $referrer: 'https://example.com/',
            url: 'https://example.com/pricing',
            referrer: 'https://example.com/',
            name: 'Pricing',
          }),
        ],
      },
      {
        claim: 'a page call under the name that is set',
        config: { ...config, page_event_name: 'Loaded a Page' },
        event: call('page', { properties: {} }),
        requests: [imported('Loaded a Page', { ...common, name: 'Pricing' })],
      },
      {
        claim: "an identify call as an update of the profile, its traits under Mixpanel's names",
        event: call('identify', { traits: { email: 'a@example.com', firstName: 'Ada', last_name: 'L', name: 'Ada L', phone: null, createdAt: '2020-01-01', state: 'ZH', country: 'CH', plan: 'pro' }, context: { attributes: { ip: '203.0.113.9' } } }),
        requests: [
          engaged({
            $distinct_id: 'u-1',
            $ip: '203.0.113.9',
            $set: { $email: 'a@example.com', $first_name: 'Ada', $last_name: 'L', $name: 'Ada L', $created: '2020-01-01', $region: 'ZH', $country_code: 'CH', plan: 'pro' },
          }),
        ],
      },
      {
        claim: 'an anonymous identify call as an update of the profile of the device',
        event: call('identify', { user_id: undefined, traits: {} }),
        requests: [engaged({ $distinct_id: '$device:anon-1', $set: {} })],
      },
      {
        claim: 'an identify call with both ids as $identify as well in a project with the original merge',
        config: original,
        event: call('identify', { traits: { age: 36 } }),
        requests: [
          imported('$identify', { $identified_id: 'u-1', $anon_id: 'anon-1', $insert_id: digest(`${ID}:i`), time: TIME_MS, token: 'project-token-1' }),
          engaged({ $distinct_id: 'u-1', $set: { age: 36 } }),
        ],
      },
      {
        claim: 'an identify call with one id without $identify',
        config: original,
        event: call('identify', { anonymous_id: undefined, traits: { age: 36 } }),
        requests: [engaged({ $distinct_id: 'u-1', $set: { age: 36 } })],
      },
      {
        claim: "a group call as the user's membership and the group's profile",
        event: call('group'),
        requests: [
          engaged({ $distinct_id: 'u-1', $union: { $group_id: ['acme'] } }),
          grouped({ $group_key: '$group_id', $group_id: 'acme', $set: { name: 'Acme', seats: 12, $name: 'Acme' } }),
        ],
      },
      {
        claim: 'a group call without a user as the profile alone, under the key that is set',
        config: { ...config, group_key: 'company' },
        event: call('group', { user_id: undefined, anonymous_id: undefined, traits: {} }),
        requests: [grouped({ $group_key: 'company', $group_id: 'acme', $set: {} })],
      },
      {
        claim: 'an alias call as $merge in a project with the original merge',
        config: original,
        event: call('alias'),
        requests: [imported('$merge', { $distinct_ids: ['guest-7', 'u-1'], $insert_id: ID, time: TIME_MS, token: 'project-token-1' })],
      },
      {
        claim: 'a user without an anonymous id that stands for nobody and would join all users',
        event: call('track', { anonymous_id: 'Anonymous', properties: {} }),
        requests: [imported('Order Completed', { mp_lib: 'signalbook', $insert_id: ID, time: TIME_MS, distinct_id: 'u-1', $user_id: 'u-1' })],
      },
    ]
    for (const { claim, event, requests, config: own } of calls) {
      it(claim, () => expect(requestsOf({ provider: mixpanel, config: own ?? config }, [event])).to.deep.equal(requests))
    }

    it('calls of different types to their endpoints, those of one endpoint in one request', () => {
      const requests = requestsOf(destination, [call('identify'), call('track'), call('group'), call('page')])
      expect(requests.map(({ url, body }) => [url.replace(/\?.*/, ''), (body as unknown[]).length])).to.deep.equal([
        ['https://api.mixpanel.com/engage', 2],
        ['https://api.mixpanel.com/import', 2],
        ['https://api.mixpanel.com/groups', 1],
      ])
    })

    it('every piece of a call under a key of its own, the same in every attempt', () => {
      const keys = [call('group'), call('identify'), call('track')].map((event) => itemsOf({ provider: mixpanel, config: original }, [event]).map(({ lane, key }) => [lane, key]))
      expect(keys).to.deep.equal([
        [
          ['engage', ID],
          ['groups', `${ID}:g`],
        ],
        [
          ['import', `${ID}:i`],
          ['engage', ID],
        ],
        [['import', ID]],
      ])
    })

    const addresses = [
      { more: { region: 'eu' }, url: 'https://api-eu.mixpanel.com/import?strict=1' },
      { more: { region: 'in', strict: false }, url: 'https://api-in.mixpanel.com/import?strict=0' },
      { more: { endpoint: 'https://proxy.example.com/mp' }, url: 'https://proxy.example.com/mp/import?strict=1' },
    ]
    for (const { more, url } of addresses) {
      it(`with ${JSON.stringify(more)} to ${url}`, () => expect(requestsOf({ provider: mixpanel, config: { ...config, ...more } }, [call('track')])[0]?.url).to.equal(url))
    }

    it('events as a service account, profiles still with the token', () => {
      const own = { ...config, service_account_username: 'relay.1', service_account_secret: 's3cret', project_id: '3187204' }
      const [event, profile] = requestsOf({ provider: mixpanel, config: own }, [call('track'), call('identify')])
      expect(event?.url).to.equal('https://api.mixpanel.com/import?strict=1&project_id=3187204')
      expect(event?.headers).to.have.property('authorization', 'Basic cmVsYXkuMTpzM2NyZXQ=')
      expect(profile?.headers).to.deep.equal(HEADERS)
      expect(profile?.body).to.have.nested.property('[0].$token', 'project-token-1')
    })
  })

  it('leaves an alias out in a project with the simplified merge', () => {
    expect(encoded(destination, call('alias'))).to.deep.equal({ skip: 'unsupported_type' })
  })

  it('refuses a profile of nobody', () => {
    expect(encoded(destination, call('identify', { user_id: undefined, anonymous_id: undefined }))).to.deep.equal({
      reject: 'missing_identity',
      message: 'mixpanel takes no profile without user_id or anonymous_id',
    })
  })

  for (const [field, event] of [
    ['user_id', call('track', { user_id: 'NULL' })],
    ['anonymous_id', call('track', { user_id: undefined, anonymous_id: '00000000-0000-0000-0000-000000000000' })],
    ['previous_id', call('alias', { previous_id: 'anonymous' })],
  ] as const) {
    it(`refuses a ${field} that stands for nobody`, () => {
      expect(encoded({ provider: mixpanel, config: original }, event)).to.deep.equal({
        reject: 'invalid_identity',
        message: `mixpanel takes no ${field} that stands for nobody, such as "anonymous" or "null"`,
      })
    })
  }

  it('refuses an event from more than an hour ahead, and none for its age', () => {
    const refusals = ['2026-11-21T10:30:00.001Z', '2026-11-21T10:30:00.000Z', '2001-01-01T00:00:00.000Z'].map((timestamp) => preflight(call('track', { timestamp }), mixpanel, mixpanel.limits(config), NOW)?.code)
    expect(refusals).to.deep.equal(['in_future', undefined, undefined])
  })

  describe('judges', () => {
    const three = itemsOf(destination, ['first', 'second', 'order:3'].map((id) => call('track', { message_id: id })))
    const one = three.slice(0, 1)
    const profiles = itemsOf(destination, [call('identify'), call('identify', { message_id: 'second' })])
    const groups = itemsOf(destination, [call('group', { user_id: undefined, anonymous_id: undefined })])
    const answers = [
      { claim: 'success', items: three, answer: { status: 200, body: { code: 200, num_records_imported: 3, status: 'OK' } }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      {
        claim: 'the events that a 400 names as refused and the others as stored',
        items: three,
        answer: {
          status: 400,
          body: { code: 400, error: 'some data points in the request failed validation', num_records_imported: 2, failed_records: [{ index: 1, insert_id: 'second', field: 'properties.time', message: "'properties.time' is invalid" }] },
        },
        outcome: { kind: 'each', results: [{ kind: 'ok' }, { kind: 'reject', code: 'rejected', message: "answered 400: properties.time: 'properties.time' is invalid" }, { kind: 'ok' }] },
      },
      {
        claim: 'events that are named by their insert id alone, in either spelling',
        items: three,
        answer: { status: 400, body: { failed_records: [{ insert_id: 'first', field: 'event', message: 'no' }, { $insert_id: digest('order:3'), field: 'event', message: 'no' }] } },
        outcome: {
          kind: 'each',
          results: [{ kind: 'reject', code: 'rejected', message: 'answered 400: event: no' }, { kind: 'ok' }, { kind: 'reject', code: 'rejected', message: 'answered 400: event: no' }],
        },
      },
      {
        claim: 'a 400 that names an unknown event as a fault of one of them',
        items: three,
        answer: { status: 400, body: { failed_records: [{ index: 9, insert_id: 'other' }] } },
        outcome: { kind: 'bisect', message: 'answered 400: {"index":9,"insert_id":"other"}' },
      },
      { claim: 'a 400 that names none as a fault of one of them', items: three, answer: { status: 400, body: { code: 400, error: 'bad' } }, outcome: { kind: 'bisect', message: 'answered 400: {"code":400,"error":"bad"}' } },
      { claim: 'a 400 that is cut off, as a long one is, as a fault of one of them', items: three, answer: { status: 400, body: '{"failed_records":[{"index":0' }, outcome: { kind: 'bisect', message: 'answered 400: {"failed_records":[{"index":0' } },
      { claim: 'a 400 for one as its end', items: one, answer: { status: 400, body: 'bad' }, outcome: { kind: 'all', result: { kind: 'reject', code: 'rejected', message: 'answered 400: bad' } } },
      { claim: '401 as wrong credentials', items: three, answer: { status: 401, body: { error: 'Invalid credentials' } }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_401', message: 'answered 401: {"error":"Invalid credentials"}' } } },
      { claim: '413 as too much at once', items: three, answer: { status: 413 }, outcome: { kind: 'split', message: 'answered 413' } },
      { claim: '413 for one as its end', items: one, answer: { status: 413 }, outcome: { kind: 'all', result: { kind: 'reject', code: 'too_large', message: 'answered 413' } } },
      { claim: '429 without a header: it waits 2 seconds', items: three, answer: { status: 429, body: 'Project exceeded rate limits' }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429: Project exceeded rate limits', afterMs: 2000 } } },
      { claim: 'the fourth 429 without a header: it waits 16 seconds', attempt: 4, items: three, answer: { status: 429 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429', afterMs: 16_000 } } },
      { claim: 'the hundredth 429 without a header: it waits a minute', attempt: 100, items: three, answer: { status: 429 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429', afterMs: 60_000 } } },
      { claim: '429 with Retry-After', items: three, answer: { status: 429, headers: { 'retry-after': '9' } }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429', afterMs: 9000 } } },
      { claim: '502 as a fault of the moment', items: three, answer: { status: 502 }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 502' } } },
      { claim: 'success of profiles', items: profiles, answer: { status: 200, body: { status: 1, error: null } }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      { claim: 'success of profiles in one digit', items: profiles, answer: { status: 200, body: '1' }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      { claim: 'profiles that a 200 refuses as a fault of one of them', items: profiles, answer: { status: 200, body: { status: 0, error: 'bad $set' } }, outcome: { kind: 'bisect', message: 'answered 200: {"status":0,"error":"bad $set"}' } },
      { claim: 'groups that a 200 refuses by its error alone', items: groups, answer: { status: 200, body: { error: 'bad' } }, outcome: { kind: 'bisect', message: 'answered 200: {"error":"bad"}' } },
      { claim: 'profiles that a 200 refuses in one digit', items: profiles, answer: { status: 200, body: '0\n' }, outcome: { kind: 'bisect', message: 'answered 200: 0' } },
      { claim: 'profiles that a 400 refuses as a fault of one of them', items: profiles, answer: { status: 400, body: { failed_records: [{ index: 0 }] } }, outcome: { kind: 'bisect', message: 'answered 400: {"failed_records":[{"index":0}]}' } },
    ]
    for (const { claim, items, answer, outcome, attempt } of answers) {
      it(claim, () => expect(verdictOn(destination, items, answer, attempt)).to.deep.equal(outcome))
    }
  })

  describe('takes the settings', () => {
    const account = { service_account_username: 'relay.1', service_account_secret: 's3cret', project_id: '3187204' }
    const accepted = [
      config,
      { ...original, ...account, region: 'in', group_key: 'company', strict: false, page_event_name: '{name}', batch_size: 2000, flush_interval: '5s', timeout: '30s' },
      { api_key: 'x', endpoint: 'http://127.0.0.1:9000' },
    ]
    for (const each of accepted) it(JSON.stringify(each), () => expect(refusal(mixpanel, each)).to.equal(''))

    it('and keeps to them and to the limits of Mixpanel', () => {
      expect(mixpanel.limits({ ...config, batch_size: 200 })).to.deep.equal({ items: 200, bytes: 1_990_000, itemBytes: 1_000_000, concurrency: 10, timeoutMs: 10_000, lingerMs: 0, maxFutureMs: 3_600_000 })
    })
  })

  describe('refuses, naming the key and not the value,', () => {
    const refused: { key: string; config: Record<string, unknown> }[] = [
      { key: 'api_key', config: {} },
      { key: 'api_key', config: { api_key: 'se\ncret' } },
      { key: 'region', config: { ...config, region: 'se\ncret' } },
      { key: 'identity_merge', config: { ...config, identity_merge: 'se\ncret' } },
      { key: 'group_key', config: { ...config, group_key: 'se\ncret' } },
      { key: 'strict', config: { ...config, strict: 1 } },
      { key: 'service_account_secret', config: { ...config, service_account_username: 'a', project_id: '1' } },
      { key: 'service_account_username', config: { ...config, service_account_secret: 'a', project_id: '1' } },
      { key: 'project_id', config: { ...config, service_account_secret: 'a', service_account_username: 'a' } },
      { key: 'project_id', config: { ...config, service_account_secret: 'a', service_account_username: 'a', project_id: 'se\ncret' } },
      { key: 'page_event_name', config: { ...config, page_event_name: '' } },
      { key: 'batch_size', config: { ...config, batch_size: 2001 } },
      { key: 'host', config: { ...config, host: 'https://example.com' } },
    ]
    for (const each of refused) {
      it(JSON.stringify(each.config), () => {
        expect(refusal(mixpanel, each.config)).to.match(new RegExp(`^config\\.${each.key} `)).and.not.include('se\ncret')
      })
    }
  })
})
