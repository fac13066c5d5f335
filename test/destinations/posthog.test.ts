import { expect } from 'chai'
import { LIBRARY } from '../../src/destinations/library.ts'
import { posthog } from '../../src/destinations/posthog.ts'
import { ATTRIBUTES, ID, SENT_AT, TIMESTAMP, call, encoded, itemsOf, refusal, requestsOf, verdictOn } from './support/exchange.ts'

const config = { api_key: 'phc_key-of-the-project' }
const destination = { provider: posthog, config }
const library = { $lib: LIBRARY.name, $lib_version: LIBRARY.version }
/** No address is known, and PostHog must not take the relay's. */
const placeless = { ...library, $geoip_disable: true }
const common = { timestamp: TIMESTAMP, uuid: ID }

const technology = {
  $os: 'iOS',
  $os_version: '18.1',
  $app_version: '4.2',
  $device_id: 'idfv-1',
  $device_type: 'ios',
  $device_manufacturer: 'Apple',
  $device_model: 'iPhone17,1',
  $raw_user_agent: 'Mozilla/5.0',
  $locale: 'de-CH',
  $timezone: 'Europe/Zurich',
}

describe('posthog', () => {
  describe('sends', () => {
    const calls = [
      {
        claim: 'a track call without what is null',
        event: call('track'),
        item: { ...common, event: 'Order Completed', distinct_id: 'u-1', properties: { ...placeless, total: 20.5, lines: [{ sku: 'a' }, null] } },
      },
      {
        claim: 'a track call with all that is known about page, campaign, device, place and group',
        event: call('track', { properties: {}, context: { attributes: { ...ATTRIBUTES, library: { name: 'web-sdk', version: '3.1' } } } }),
        item: {
          ...common,
          event: 'Order Completed',
          distinct_id: 'u-1',
          properties: {
            $lib: 'web-sdk',
            $lib_version: '3.1',
            $ip: '203.0.113.9',
            ...technology,
            $current_url: 'https://example.com/cart',
            $pathname: '/cart',
            $host: 'example.com',
            $referrer: 'https://search.example/',
            utm_campaign: 'autumn',
            utm_source: 'newsletter',
            utm_medium: 'email',
            utm_term: 'shoes',
            utm_content: 'top',
            $groups: { group: 'acme' },
          },
        },
      },
      {
        claim: "the sender's own properties of PostHog before ours",
        event: call('track', { properties: { $current_url: 'app://cart', $groups: { team: 't-1' } }, context: { attributes: { page: ATTRIBUTES.page, group_id: 'acme' } } }),
        item: {
          ...common,
          event: 'Order Completed',
          distinct_id: 'u-1',
          properties: { ...placeless, $current_url: 'app://cart', $pathname: '/cart', $host: 'example.com', $referrer: 'https://search.example/', $groups: { team: 't-1' } },
        },
      },
      {
        claim: 'an identify call of a known visitor, which merges the visitor into the user',
        event: call('identify'),
        item: { ...common, event: '$identify', distinct_id: 'u-1', properties: { ...placeless, $set: { email: 'ada@example.com', age: 36 }, $anon_distinct_id: 'anon-1' } },
      },
      {
        claim: 'an identify call without a visitor to merge',
        event: call('identify', { anonymous_id: undefined, context: { attributes: ATTRIBUTES } }),
        item: { ...common, event: '$identify', distinct_id: 'u-1', properties: { ...library, $ip: '203.0.113.9', ...technology, $set: { email: 'ada@example.com', age: 36 } } },
      },
      {
        claim: 'an identify call of a visitor',
        event: call('identify', { user_id: undefined, traits: {} }),
        item: { ...common, event: '$identify', distinct_id: 'anon-1', properties: { ...placeless, $set: {} } },
      },
      {
        claim: 'no merge of a user with itself',
        event: call('identify', { anonymous_id: 'u-1', traits: {} }),
        item: { ...common, event: '$identify', distinct_id: 'u-1', properties: { ...placeless, $set: {} } },
      },
      {
        claim: 'a group call',
        event: call('group'),
        item: { ...common, event: '$groupidentify', distinct_id: 'u-1', properties: { ...placeless, $group_type: 'group', $group_key: 'acme', $group_set: { name: 'Acme', seats: 12 } } },
      },
      {
        claim: 'a group call by nobody under an id of its own and the type that it names',
        event: call('group', { user_id: undefined, anonymous_id: undefined, traits: { groupType: 'company' } }),
        item: { ...common, event: '$groupidentify', distinct_id: '$company_acme', properties: { ...placeless, $group_type: 'company', $group_key: 'acme', $group_set: { groupType: 'company' } } },
      },
      {
        claim: 'a page call as a page view',
        event: call('page', { properties: { url: 'https://example.com/pricing?plan=pro', title: 'Prices', variant: null } }),
        item: {
          ...common,
          event: '$pageview',
          distinct_id: 'u-1',
          properties: {
            ...placeless,
            $current_url: 'https://example.com/pricing?plan=pro',
            $pathname: '/pricing',
            $host: 'example.com',
            url: 'https://example.com/pricing?plan=pro',
            title: 'Prices',
            name: 'Pricing',
          },
        },
      },
      {
        claim: 'a page call whose page is in the context, by a visitor',
        event: call('page', { user_id: undefined, name: undefined, properties: {}, context: { attributes: { page: ATTRIBUTES.page } } }),
        item: {
          ...common,
          event: '$pageview',
          distinct_id: 'anon-1',
          properties: { ...placeless, $current_url: 'https://example.com/cart', $pathname: '/cart', $host: 'example.com', $referrer: 'https://search.example/' },
        },
      },
      {
        claim: 'an alias call, in which the new id is kept and the previous one merged away',
        event: call('alias'),
        item: { ...common, event: '$create_alias', distinct_id: 'u-1', properties: { ...placeless, distinct_id: 'u-1', alias: 'guest-7' } },
      },
      {
        claim: 'a message id that is no UUID as a UUID of it, the same in every attempt',
        event: call('track', { message_id: 'order-1', properties: {} }),
        item: { event: 'Order Completed', distinct_id: 'u-1', properties: placeless, timestamp: TIMESTAMP, uuid: '1dd2f9c5-5d38-5b5c-b139-68023091e3e4' },
      },
      {
        claim: 'a UUID in capitals as the same UUID',
        event: call('track', { message_id: ID.toUpperCase(), properties: {} }),
        item: { ...common, event: 'Order Completed', distinct_id: 'u-1', properties: placeless },
      },
    ]
    for (const { claim, event, item } of calls) {
      it(claim, () => {
        expect(requestsOf(destination, [event])).to.deep.equal([
          {
            method: 'POST',
            url: 'https://us.i.posthog.com/batch/',
            headers: { 'content-type': 'application/json', 'user-agent': 'signalbook' },
            body: { api_key: 'phc_key-of-the-project', sent_at: SENT_AT, batch: [item] },
          },
        ])
      })
    }

    it('all calls of a batch in one request, in their order', () => {
      const [request, ...others] = requestsOf(destination, [call('identify'), call('track'), call('alias')])
      expect(others).to.deep.equal([])
      expect((request?.body as { batch: { event: string }[] }).batch.map(({ event }) => event)).to.deep.equal(['$identify', 'Order Completed', '$create_alias'])
    })

    it('to the host, or to an endpoint with its own path and query', () => {
      const urls = [{ host: 'https://eu.i.posthog.com/' }, { endpoint: 'https://proxy.example.com/ph?tenant=a' }].map((more) => requestsOf({ provider: posthog, config: { ...config, ...more } }, [call('track')])[0]?.url)
      expect(urls).to.deep.equal(['https://eu.i.posthog.com/batch/', 'https://proxy.example.com/ph/batch/?tenant=a'])
    })
  })

  describe('obeys', () => {
    const visit = call('page', { user_id: undefined, name: undefined, properties: {} })
    const settings = [
      { claim: 'person_profiles for visitors', more: { person_profiles: 'identified_only' }, event: visit, properties: { ...placeless, $process_person_profile: false } },
      { claim: 'person_profiles not for users', more: { person_profiles: 'identified_only' }, event: call('track', { properties: {} }), properties: placeless },
      {
        claim: 'person_profiles not where PostHog would drop the event for it',
        more: { person_profiles: 'identified_only' },
        event: call('identify', { user_id: undefined, traits: {} }),
        properties: { ...placeless, $set: {} },
      },
      {
        claim: 'geoip_disable also where there is an address',
        more: { geoip_disable: true },
        event: { ...visit, context: { attributes: { ip: '203.0.113.9' } } },
        properties: { ...placeless, $ip: '203.0.113.9' },
      },
      { claim: 'geoip_disable: false', more: { geoip_disable: false }, event: visit, properties: library },
      {
        claim: 'group_type',
        more: { group_type: 'company' },
        event: { ...visit, context: { attributes: { groupId: 'acme' } } },
        properties: { ...placeless, $groups: { company: 'acme' } },
      },
      {
        claim: 'group_type in group calls',
        more: { group_type: 'company' },
        event: call('group', { traits: {} }),
        properties: { ...placeless, $group_type: 'company', $group_key: 'acme', $group_set: {} },
      },
    ]
    for (const { claim, more, event, properties } of settings) {
      it(claim, () => {
        const [item] = itemsOf({ provider: posthog, config: { ...config, ...more } }, [event])
        expect((JSON.parse(item?.body ?? '') as { properties: unknown }).properties).to.deep.equal(properties)
      })
    }

    it('historical_migration', () => {
      expect(requestsOf({ provider: posthog, config: { ...config, historical_migration: true } }, [visit])[0]?.body).to.have.property('historical_migration', true)
    })
  })

  describe('refuses the event', () => {
    const nobody = { user_id: undefined, anonymous_id: undefined }
    const refused = [
      { claim: 'track of nobody', event: call('track', nobody), reject: 'missing_identity' },
      { claim: 'identify of nobody', event: call('identify', nobody), reject: 'missing_identity' },
      { claim: 'page of nobody', event: call('page', nobody), reject: 'missing_identity' },
      { claim: 'alias of an id that stands for nobody', event: call('alias', { previous_id: ' Guest' }), reject: 'invalid_identity' },
      { claim: 'alias to an id that stands for nobody', event: call('alias', { user_id: 'null' }), reject: 'invalid_identity' },
    ]
    for (const { claim, event, reject } of refused) it(claim, () => expect(encoded(destination, event)).to.have.property('reject', reject))
  })

  describe('judges', () => {
    const two = itemsOf(destination, [call('track'), call('track', { message_id: 'second' })])
    const one = two.slice(0, 1)
    const answers = [
      { claim: 'success', items: two, answer: { status: 200, body: { status: 1 } }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      { claim: 'the success of older versions', items: two, answer: { status: 200, body: 'Ok' }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      {
        claim: 'a 200 that kept nothing as the end, since the quota is used up',
        items: two,
        answer: { status: 200, body: { status: 1, quota_limited: ['events'] } },
        outcome: { kind: 'all', result: { kind: 'reject', code: 'quota', message: `answered 200 and kept nothing, since the project's quota of events is used up: {"status":1,"quota_limited":["events"]}` } },
      },
      { claim: 'the quota of something else as success', items: two, answer: { status: 200, body: { status: 1, quota_limited: ['recordings'] } }, outcome: { kind: 'all', result: { kind: 'ok' } } },
      {
        claim: '400 for several as a fault of one of them',
        items: two,
        answer: { status: 400, body: 'event submitted with an empty distinct_id' },
        outcome: { kind: 'bisect', message: 'answered 400: event submitted with an empty distinct_id' },
      },
      {
        claim: '400 for one as its end',
        items: one,
        answer: { status: 400, body: 'maximum event size exceeded' },
        outcome: { kind: 'all', result: { kind: 'reject', code: 'rejected', message: 'answered 400: maximum event size exceeded' } },
      },
      { claim: '401 as a wrong key', items: two, answer: { status: 401, body: 'API key is not valid' }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_401', message: 'answered 401: API key is not valid' } } },
      { claim: '404 as a wrong host', items: two, answer: { status: 404 }, outcome: { kind: 'all', result: { kind: 'halt', code: 'http_404', message: 'answered 404' } } },
      { claim: '413 for several as too much at once', items: two, answer: { status: 413 }, outcome: { kind: 'split', message: 'answered 413' } },
      { claim: '413 for one as its end', items: one, answer: { status: 413 }, outcome: { kind: 'all', result: { kind: 'reject', code: 'too_large', message: 'answered 413' } } },
      {
        claim: '429 with Retry-After',
        items: two,
        answer: { status: 429, headers: { 'retry-after': '7' }, body: 'rate limited' },
        outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429: rate limited', afterMs: 7000 } },
      },
      { claim: '429 without a header', items: two, answer: { status: 429, body: 'rate limited' }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429: rate limited' } } },
      {
        claim: 'a reached billing limit as a long wait',
        items: two,
        answer: { status: 429, body: 'billing limit reached' },
        outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 429: billing limit reached', afterMs: 300_000 } },
      },
      { claim: '503 as a fault of the moment', items: two, answer: { status: 503, body: 'transient error' }, outcome: { kind: 'all', result: { kind: 'retry', message: 'answered 503: transient error' } } },
    ]
    for (const { claim, items, answer, outcome } of answers) {
      it(claim, () => expect(verdictOn(destination, items, answer)).to.deep.equal(outcome))
    }
  })

  describe('takes the settings', () => {
    const accepted = [
      config,
      { api_key: 'key-of-an-old-self-hosted-one', host: 'https://posthog.example.com', group_type: 'company', person_profiles: 'always' },
      { ...config, endpoint: 'http://127.0.0.1:9000', geoip_disable: null, historical_migration: false, batch_size: 100, flush_interval: '5s', timeout: '30s' },
    ]
    for (const each of accepted) it(JSON.stringify(each), () => expect(refusal(posthog, each)).to.equal(''))

    it('and keeps to them and to the limits of PostHog', () => {
      const bounds = { items: 100, bytes: 10_000_000, itemBytes: 900_000, concurrency: 4, timeoutMs: 10_000, lingerMs: 0 }
      expect(posthog.limits(config)).to.deep.equal(bounds)
      expect(posthog.limits({ ...config, batch_size: 20, timeout: '3s', flush_interval: '5s' })).to.deep.equal({ ...bounds, items: 20, timeoutMs: 3000, lingerMs: 5000 })
    })
  })

  describe('refuses, naming the key and not the value,', () => {
    const refused: { key: string; config: Record<string, unknown> }[] = [
      { key: 'api_key', config: {} },
      { key: 'api_key', config: { api_key: 'se\ncret' } },
      { key: 'api_key', config: { api_key: 'phx_se\ncret' } },
      { key: 'api_key', config: { api_key: '********' } },
      { key: 'host', config: { ...config, host: 'se\ncret' } },
      { key: '(host|endpoint)', config: { ...config, host: 'https://a.example', endpoint: 'https://b.example' } },
      { key: 'group_type', config: { ...config, group_type: 'se\ncret' } },
      { key: 'person_profiles', config: { ...config, person_profiles: 'se\ncret' } },
      { key: 'geoip_disable', config: { ...config, geoip_disable: 'se\ncret' } },
      { key: 'historical_migration', config: { ...config, historical_migration: 1 } },
      { key: 'batch_size', config: { ...config, batch_size: 101 } },
      { key: 'flush_interval', config: { ...config, flush_interval: '2h' } },
      { key: 'timeout', config: { ...config, timeout: 'se\ncret' } },
      { key: 'site_id', config: { ...config, site_id: 'x' } },
    ]
    for (const each of refused) {
      it(JSON.stringify(each.config), () => {
        expect(refusal(posthog, each.config)).to.match(new RegExp(`^config\\.${each.key} `)).and.not.include('se\ncret')
      })
    }

    it('a personal API key, which cannot send', () => {
      expect(refusal(posthog, { api_key: 'phx_personal-secret' })).to.match(/^config\.api_key must be the project API key/).and.not.include('personal-secret')
    })
  })
})
