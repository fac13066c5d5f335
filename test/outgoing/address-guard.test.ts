import { expect } from 'chai'
import type { LookupFunction } from 'node:net'
import { explainRefusedUrl, guardedLookup, isPublicAddress } from '../../src/outgoing/address-guard.ts'
import type { Resolve } from '../../src/outgoing/address-guard.ts'

const HOSTILE = [
  'http://127.0.0.1/', 'http://127.1/', 'http://2130706433/', 'http://0x7f000001/', 'http://0177.0.0.1/', 'http://0/', 'http://0.0.0.0/',
  'http://10.1.2.3/', 'http://172.16.0.1/', 'http://192.168.1.1/', 'http://169.254.169.254/latest/meta-data', 'http://100.64.0.1/',
  'http://192.0.0.8/', 'http://192.0.2.1/', 'http://198.18.0.1/', 'http://203.0.113.9/', 'http://224.0.0.1/', 'http://240.0.0.1/', 'http://255.255.255.255/',
  'http://[::1]/', 'http://[::]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:a00:1]/', 'http://[::127.0.0.1]/', 'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::1]/', 'http://[2002:7f00:1::]/', 'http://[2001::1]/', 'http://[fc00::1]/', 'http://[fd12:3456::1]/', 'http://[fe80::1]/',
  'http://[fec0::1]/', 'http://[ff02::1]/', 'http://[2001:db8::1]/', 'http://[100::1]/', 'https://127.0.0.1:8443/', 'http://127。0。0。1/', 'http://①②⑦.0.0.1/',
  'ftp://example.com/', 'file:///etc/passwd', 'gopher://example.com/', 'data:text/plain,x', 'http://user@example.com/', 'http://:secret@example.com/',
]

function resolving(...addresses: string[]): LookupFunction {
  const lookup: Resolve = (_name, _options, done) =>
    done(null, addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))
  return guardedLookup(lookup)
}

function look(lookup: LookupFunction, all: boolean): Promise<unknown> {
  return new Promise((resolve, reject) => lookup('example.com', { all }, (error, address) => (error ? reject(error) : resolve(address))))
}

describe('the address guard', () => {
  for (const url of HOSTILE) {
    it(`refuses ${url}`, () => {
      expect(explainRefusedUrl(new URL(url), { allowPrivateNetworks: false })).to.be.a('string')
    })
  }

  it('refuses the ports of mail servers and other services that are no web servers, unless private networks are allowed', () => {
    for (const port of [0, 21, 22, 25, 53, 110, 143, 465, 587, 6000, 6667]) {
      const url = new URL(`http://example.com:${port}/`)
      expect(explainRefusedUrl(url, { allowPrivateNetworks: false }), url.href).to.contain(`port ${port}`)
      expect(explainRefusedUrl(url, { allowPrivateNetworks: true }), url.href).to.equal(undefined)
    }
    for (const port of ['', ':80', ':443', ':3000', ':8080', ':8443']) expect(explainRefusedUrl(new URL(`http://example.com${port}/`), { allowPrivateNetworks: false }), port).to.equal(undefined)
  })

  it('lets public addresses and names pass', () => {
    for (const url of ['https://8.8.8.8/', 'https://[2606:4700::1111]/', 'https://example.com/hook', 'http://example.com:8080/']) {
      expect(explainRefusedUrl(new URL(url), { allowPrivateNetworks: false }), url).to.equal(undefined)
    }
  })

  it('lets private addresses pass where they are allowed, but never other schemes or credentials', () => {
    expect(explainRefusedUrl(new URL('http://127.0.0.1/'), { allowPrivateNetworks: true })).to.equal(undefined)
    expect(explainRefusedUrl(new URL('file:///x'), { allowPrivateNetworks: true })).to.be.a('string')
    expect(explainRefusedUrl(new URL('http://u:p@127.0.0.1/'), { allowPrivateNetworks: true })).to.be.a('string')
  })

  it('refuses a name when any of its addresses is not public, in both forms of lookup', async () => {
    for (const all of [true, false]) {
      expect(await look(resolving('8.8.8.8', '127.0.0.1'), all).catch((error: { code: string }) => error.code)).to.equal('ADDRESS_REFUSED')
    }
    expect(await look(resolving('8.8.8.8'), false)).to.equal('8.8.8.8')
    expect(await look(resolving('8.8.8.8', '2606:4700::1'), true)).to.have.length(2)
  })

  it('does not take what is no address for a public one', () => {
    expect(isPublicAddress('fe80::1%eth0')).to.equal(false)
    expect(isPublicAddress('localhost')).to.equal(false)
  })
})
