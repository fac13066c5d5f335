import { lookup as systemLookup } from 'node:dns'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createSender } from '../../src/outgoing/send.ts'
import type { Resolve } from '../../src/outgoing/address-guard.ts'
import type { Sender } from '../../src/outgoing/send.ts'

/** Names of a DNS of our own, and what it answers. */
const NAMES: Record<string, string[]> = {
  'loopback.test': ['127.0.0.1'],
  'six.test': ['::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'compatible.test': ['::127.0.0.1'],
  'translated.test': ['64:ff9b::7f00:1'],
  'zero.test': ['0.0.0.0'],
  'private.test': ['10.0.0.7'],
  'metadata.test': ['169.254.169.254'],
  'mixed.test': ['8.8.8.8', '127.0.0.1'],
  'xn--bcher-kva.test': ['127.0.0.1'],
}

/** Where nobody may be led; PORT is that of the listener. */
const HOSTILE = [
  // Loopback in the spellings of IPv4.
  'http://127.0.0.1:PORT/', 'https://127.0.0.1:PORT/', 'http://127.1:PORT/', 'http://127.0.1:PORT/', 'http://127.255.255.254:PORT/', 'http://2130706433:PORT/', 'http://0x7f000001:PORT/',
  'http://0x7f.0.0.1:PORT/', 'http://0x7f.1:PORT/', 'http://0177.0.0.1:PORT/', 'http://017700000001:PORT/', 'http://0177.1:PORT/', 'http://127.0.0.1.:PORT/', 'http://0:PORT/',
  'http://0.0.0.0:PORT/', 'http://0x0:PORT/', 'http://127。0。0。1:PORT/', 'http://①②⑦.⓪.⓪.①:PORT/', 'http://127.0.0.１:PORT/', 'http://%31%32%37.0.0.1:PORT/', 'http://127%2e0%2e0%2e1:PORT/',
  'http:127.0.0.1:PORT/', 'http:\\\\127.0.0.1:PORT\\', 'http://\t127.0.0.1:PORT/',
  // Networks that are not the public one.
  'http://10.0.0.1:PORT/', 'http://10.255.255.255:PORT/', 'http://172.16.0.1:PORT/', 'http://172.31.255.255:PORT/', 'http://192.168.0.1:PORT/', 'http://169.254.169.254/latest/meta-data/',
  'http://100.64.0.1:PORT/', 'http://100.127.255.254:PORT/', 'http://192.0.0.1:PORT/', 'http://192.0.2.1:PORT/', 'http://198.18.0.1:PORT/', 'http://198.51.100.1:PORT/',
  'http://203.0.113.1:PORT/', 'http://192.88.99.1:PORT/', 'http://224.0.0.1:PORT/', 'http://239.255.255.255:PORT/', 'http://240.0.0.1:PORT/', 'http://255.255.255.255:PORT/',
  // The same through IPv6.
  'http://[::1]:PORT/', 'http://[0:0:0:0:0:0:0:1]:PORT/', 'http://[::]:PORT/', 'http://[::ffff:127.0.0.1]:PORT/', 'http://[::ffff:7f00:1]:PORT/', 'http://[::ffff:0:127.0.0.1]:PORT/',
  'http://[::127.0.0.1]:PORT/', 'http://[::7f00:1]:PORT/', 'http://[64:ff9b::127.0.0.1]:PORT/', 'http://[64:ff9b:1::7f00:1]:PORT/', 'http://[2002:7f00:1::]:PORT/', 'http://[2001:0:7f00:1::]:PORT/',
  'http://[fe80::1]:PORT/', 'http://[fec0::1]:PORT/', 'http://[fc00::1]:PORT/', 'http://[fd00::1]:PORT/', 'http://[ff02::1]:PORT/', 'http://[2001:db8::1]:PORT/', 'http://[100::1]:PORT/',
  'http://[::ffff:10.0.0.1]:PORT/', 'http://[::ffff:169.254.169.254]:PORT/',
  // Through names.
  'http://localhost:PORT/', 'http://LOCALHOST:PORT/', ...Object.keys(NAMES).map((name) => `http://${name}:PORT/`), 'http://loopback.test.:PORT/', 'http://bücher.test:PORT/',
  // Through credentials, ports and schemes.
  'http://user@127.0.0.1:PORT/', 'http://user:pass@loopback.test:PORT/', 'http://8.8.8.8@127.0.0.1:PORT/', 'http://127.0.0.1:PORT@8.8.8.8/', 'http://:@127.0.0.1:PORT/',
  'http://8.8.8.8:25/', 'http://8.8.8.8:22/', 'http://mixed.test:6000/', 'ftp://127.0.0.1:PORT/', 'gopher://127.0.0.1:PORT/', 'ws://127.0.0.1:PORT/', 'file:///etc/passwd', 'unix:/run/docker.sock:/x',
  'data:text/plain,x', '//127.0.0.1:PORT/', '127.0.0.1:PORT',
]

// In no table of routes since 2006 (RFC 3701), and yet inside the public range: connections to it come to nothing.
const PUBLIC_NOWHERE = '3ffe::1'

describe('the door to other servers, while private networks are not allowed', () => {
  let listener: Server
  let port: number
  let connections: number
  let sender: Sender

  const ownDns: Resolve = (hostname, options, done) => {
    const found = NAMES[hostname.replace(/\.$/, '')]
    if (found === undefined) return systemLookup(hostname, options, done)
    done(null, found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))
  }
  const post = (through: Sender, url: string, timeoutMs = 2000) => through.send({ method: 'POST', url, headers: {}, body: '{}', timeoutMs })

  beforeEach(async () => {
    connections = 0
    listener = createServer((_request, response) => response.end())
    listener.on('connection', () => (connections += 1))
    // Every address of this machine, of either family.
    await new Promise<void>((resolve) => listener.listen(0, resolve))
    port = (listener.address() as AddressInfo).port
    sender = createSender({ allowPrivateNetworks: false, resolve: ownDns })
  })
  afterEach(async () => {
    sender.close()
    listener.closeAllConnections()
    await new Promise((resolve) => listener.close(resolve))
  })

  it(`refuses ${HOSTILE.length} hostile addresses, and a listener on this machine sees no connection`, async () => {
    expect(HOSTILE.length).to.be.at.least(80)
    for (const template of HOSTILE) {
      const url = template.replace('PORT', String(port))
      expect(await post(sender, url), url).to.include({ kind: 'refused' })
    }
    expect(connections).to.equal(0)
  })

  it('reaches that listener once private networks are allowed', async () => {
    const open = createSender({ allowPrivateNetworks: true })
    for (const host of ['127.0.0.1', 'localhost']) expect(await post(open, `http://${host}:${port}/`)).to.include({ kind: 'answer', status: 200 })
    open.close()
    expect(connections).to.equal(2)
  })

  it('asks for the address of a name once and connects to what was checked, over 50 rebindings', async () => {
    const asked: Record<string, number> = {}
    // Public to whoever checks, loopback to whoever asks again.
    const rebinding: Resolve = (hostname, _options, done) => {
      asked[hostname] = (asked[hostname] ?? 0) + 1
      const address = asked[hostname] === 1 ? PUBLIC_NOWHERE : '127.0.0.1'
      done(null, [{ address, family: address.includes(':') ? 6 : 4 }])
    }
    const guarded = createSender({ allowPrivateNetworks: false, resolve: rebinding })
    const names = Array.from({ length: 50 }, (_, index) => `rebinding-${index}.test`)
    for (const name of names) {
      expect(await post(guarded, `http://${name}:${port}/`, 100), name).to.include({ kind: 'no_answer' })
      expect(asked[name], name).to.equal(1)
      expect(await post(guarded, `http://${name}:${port}/`), name).to.include({ kind: 'refused' })
    }
    guarded.close()
    expect(connections).to.equal(0)
  })
})
