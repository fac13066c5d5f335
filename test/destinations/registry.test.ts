import { expect } from 'chai'
import { maskConfig, scrubSecrets, unmaskConfig } from '../../src/destinations/mask.ts'
import { providerNamed, providerNames } from '../../src/destinations/registry.ts'

const URL = 'https://example.com'
/** The settings without which a provider refuses every configuration, beside its api_key. */
const NEEDED: Record<string, Record<string, unknown>> = {
  http: { url: URL },
  file: { path: 'x.log' },
  rudderstack: { data_plane_url: URL },
  jitsu: { host: URL },
  'google-analytics': { measurement_id: 'G-AB12CD34EF' },
  customerio: { site_id: 'site-id-1' },
  clickhouse: { url: URL, table: 'events' },
}

describe('the registry of providers', () => {
  it('finds providers by name and alias, and lists them for any other name', () => {
    expect(providerNamed('http').name).to.equal('http')
    expect(providerNamed('webhook').name).to.equal('http')
    expect(providerNamed('console').name).to.equal('stdout')
    for (const name of ['nope', 'constructor', '__proto__']) expect(() => providerNamed(name)).to.throw(/the providers are http, webhook/)
  })

  for (const name of providerNames) {
    it(`${name} takes an api_key and counts it as secret`, () => {
      const provider = providerNamed(name)
      expect(provider.secretKeys).to.include('api_key')
      const needed = NEEDED[name] ?? {}
      expect(provider.checkConfig({ ...needed, api_key: 'k' })).to.include({ api_key: 'k' })
      expect(() => provider.checkConfig({ ...needed, nonsense: 1 })).to.throw(/config\.nonsense is not a setting/)
    })
  }
})

describe('masking', () => {
  const config = { url: 'https://example.com', api_key: 'top-secret', headers: { 'X-A': 'also-secret' } }

  it('replaces every secret, the values of headers included, and nothing else', () => {
    expect(maskConfig('http', config)).to.deep.equal({ url: 'https://example.com', api_key: '********', headers: { 'X-A': '********' } })
    expect(maskConfig('webhook', { url: 'x' })).to.deep.equal({ url: 'x' })
  })

  it('puts the stored secrets back where the mask stands, and takes new ones', () => {
    expect(unmaskConfig('http', maskConfig('http', config), config)).to.deep.equal(config)
    const changed = { ...maskConfig('http', config), headers: { 'X-A': 'new', 'X-B': '********' } }
    expect(unmaskConfig('http', changed, config)).to.deep.equal({ ...config, headers: { 'X-A': 'new', 'X-B': '********' } })
    expect(unmaskConfig('http', { headers: { constructor: '********' } }, config)).to.deep.equal({ headers: { constructor: '********' } })
  })

  it('takes secrets out of texts', () => {
    expect(scrubSecrets('http', config, 'key top-secret and also-secret')).to.equal('key ******** and ********')
    const odd = { url: 'https://example.com/', api_key: 'a "b"&c/d?é>' }
    for (const spelling of [odd.api_key, encodeURIComponent(odd.api_key), JSON.stringify(odd.api_key)]) expect(scrubSecrets('http', odd, spelling).replaceAll('"', '')).to.equal('********')
    for (const user of ['', 'u', 'us', 'use', 'user']) {
      const header = `Basic ${Buffer.from(`${user}:${odd.api_key}:`).toString('base64')}`
      const left = Buffer.from(scrubSecrets('http', odd, header).replace('********', '').replace('Basic ', ''), 'base64').toString()
      expect(scrubSecrets('http', odd, header), header).to.include('********')
      expect(left).not.to.include('b"&c/d')
    }
    expect(scrubSecrets('http', odd, 'Basic authentication is required')).to.equal('Basic authentication is required')
  })
})
