import { expect } from 'chai'
import express from 'express'
import { ConfigError, readConfig, readDatabaseUrl } from '../src/config.ts'

/** The faults that an environment is refused for; none when it is taken. */
function faultsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError)
    return (error as Error).message
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^ {2}- /, ''))
  }
}

describe('readConfig', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).to.deep.equal({
      database: { engine: 'sqlite', filename: './data/signalbook.db' },
      host: '127.0.0.1',
      port: 8080,
      role: 'all',
      logLevel: 'info',
      trustProxy: false,
      allowPrivateNetworks: true,
      metricsToken: undefined,
      authFailuresPerMinute: 20,
      encryptionKeys: [],
    })
  })

  it('takes an empty variable for one that is not set', () => {
    const empty = Object.fromEntries(['DATABASE_URL', 'HOST', 'PORT', 'ROLE', 'LOG_LEVEL', 'TRUST_PROXY', 'ALLOW_PRIVATE_NETWORKS', 'ENCRYPTION_KEY', 'METRICS_TOKEN', 'RELAY_LOG_URL', 'AUTH_FAILURES_PER_MINUTE'].map((name) => [name, '']))
    expect(readConfig(empty)).to.deep.equal(readConfig({}))
  })

  it('names every fault at once, each by its variable', () => {
    const faults = faultsOf({ DATABASE_URL: 'postgres://x', PORT: 'http', ROLE: 'boss', LOG_LEVEL: 'loud', TRUST_PROXY: 'everyone', ALLOW_PRIVATE_NETWORKS: 'maybe', ENCRYPTION_KEY: 'k', METRICS_TOKEN: 't', RELAY_LOG_URL: 'nats://n', AUTH_FAILURES_PER_MINUTE: '-1' })
    const names = faults.map((fault) => /^[A-Z_]+/.exec(fault)?.[0])
    expect(names.sort()).to.deep.equal(['ALLOW_PRIVATE_NETWORKS', 'AUTH_FAILURES_PER_MINUTE', 'DATABASE_URL', 'ENCRYPTION_KEY', 'LOG_LEVEL', 'METRICS_TOKEN', 'PORT', 'RELAY_LOG_URL', 'ROLE', 'TRUST_PROXY'])
  })

  for (const port of ['0', '1', '8080', '65535']) {
    it(`takes the port ${port}`, () => {
      expect(readConfig({ PORT: port }).port).to.equal(Number(port))
    })
  }
  for (const port of ['-1', '65536', '80.5', '8080 ', '0x50', '1e3', 'http']) {
    it(`refuses the port ${JSON.stringify(port)}`, () => {
      expect(faultsOf({ PORT: port })).to.deep.equal([`PORT must be a number from 0 (any free port) to 65535; got "${port}"`])
    })
  }

  for (const role of ['all', 'api', 'relay']) {
    it(`takes the role ${role}`, () => {
      expect(readConfig({ ROLE: role }).role).to.equal(role)
    })
  }

  it('allows private networks by itself only while it listens on loopback', () => {
    for (const host of ['127.0.0.1', '127.8.9.1', 'localhost', '::1']) expect(readConfig({ HOST: host }).allowPrivateNetworks, host).to.equal(true)
    for (const host of ['0.0.0.0', '::', '192.168.1.5', 'example.com', '127.0.0.1.example.com', 'localhost.example.com']) expect(readConfig({ HOST: host }).allowPrivateNetworks, host).to.equal(false)
    expect(readConfig({ HOST: '0.0.0.0', ALLOW_PRIVATE_NETWORKS: 'on' }).allowPrivateNetworks).to.equal(true)
    expect(readConfig({ HOST: '127.0.0.1', ALLOW_PRIVATE_NETWORKS: 'off' }).allowPrivateNetworks).to.equal(false)
  })

  const PROXIES: [text: string, value: unknown][] = [
    ['off', false],
    ['0', false],
    ['1', 1],
    ['2', 2],
    ['10.0.0.1', ['10.0.0.1']],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['loopback', ['loopback']],
    ['loopback,10.0.0.1', ['loopback', '10.0.0.1']],
  ]
  for (const [text, value] of PROXIES) {
    it(`reads TRUST_PROXY=${text} in a way that express understands`, () => {
      const { trustProxy } = readConfig({ TRUST_PROXY: text })
      expect(trustProxy).to.deep.equal(value)
      expect(() => express().set('trust proxy', trustProxy)).not.to.throw()
    })
  }

  const KEY = Buffer.from('0123456789abcdef0123456789abcdef')
  const OTHER_KEY = Buffer.alloc(32, 0xff)
  for (const [form, text] of Object.entries({ base64: KEY.toString('base64'), 'base64 without padding': KEY.toString('base64url'), hex: KEY.toString('hex'), 'HEX in capitals': KEY.toString('hex').toUpperCase() })) {
    it(`takes an encryption key in ${form}`, () => {
      expect(readConfig({ ENCRYPTION_KEY: text }).encryptionKeys).to.deep.equal([KEY])
    })
  }

  it('takes several encryption keys in their order, for rotation', () => {
    expect(readConfig({ ENCRYPTION_KEY: `${OTHER_KEY.toString('base64')}, ${KEY.toString('hex')}` }).encryptionKeys).to.deep.equal([OTHER_KEY, KEY])
  })

  for (const text of ['secret', KEY.toString('base64').slice(4), `${KEY.toString('hex')}00`, `${KEY.toString('hex')},`, ',', 'g'.repeat(64), KEY.toString('base64').replace('M', '!')]) {
    it(`refuses ENCRYPTION_KEY=${text.slice(0, 20)}, saying how to make one and never quoting it`, () => {
      const [fault] = faultsOf({ ENCRYPTION_KEY: text })
      expect(fault).to.match(/^ENCRYPTION_KEY must be 32 random bytes .*openssl rand -base64 32/)
      if (text.length > 1) expect(fault).not.to.include(text)
    })
  }

  it('refuses one encryption key given twice', () => {
    expect(faultsOf({ ENCRYPTION_KEY: `${KEY.toString('base64')},${KEY.toString('hex')}` }).join()).to.match(/^ENCRYPTION_KEY holds the same key twice/)
  })

  it('never believes every sender', () => {
    expect(faultsOf({ TRUST_PROXY: 'true' })).to.have.length(1)
  })

  // Anything that express would refuse later would end the start with a stack instead of a sentence.
  for (const text of ['999.1.1.1', '10.0.0.0/64', '10.0.0.1,,10.0.0.2', 'face', 'loopback,everyone', '::::', '10.0.0.1/']) {
    it(`refuses TRUST_PROXY=${text}, naming the variable`, () => {
      expect(faultsOf({ TRUST_PROXY: text }).join()).to.match(/^TRUST_PROXY must be/)
    })
  }
})

describe('readDatabaseUrl', () => {
  it('takes SQLite file names as they are', () => {
    expect(readDatabaseUrl('sqlite:./data/signalbook.db')).to.deep.equal({ engine: 'sqlite', filename: './data/signalbook.db' })
    expect(readDatabaseUrl('sqlite:/var/lib/a b.db')).to.deep.equal({ engine: 'sqlite', filename: '/var/lib/a b.db' })
    expect(readDatabaseUrl('sqlite::memory:')).to.deep.equal({ engine: 'sqlite', filename: ':memory:' })
  })

  it('takes a MySQL address apart, with its port by default and its signs decoded', () => {
    expect(readDatabaseUrl('mysql://root@db.example/signalbook')).to.deep.equal({ engine: 'mysql', host: 'db.example', port: 3306, user: 'root', password: '', database: 'signalbook' })
    expect(readDatabaseUrl('mysql://a%40b:p%3Aq%2Fr@127.0.0.1:3307/my%20base')).to.deep.equal({ engine: 'mysql', host: '127.0.0.1', port: 3307, user: 'a@b', password: 'p:q/r', database: 'my base' })
  })

  it('gives an IPv6 address without its brackets, as a connection needs it', () => {
    expect(readDatabaseUrl('mysql://root@[::1]:3306/signalbook')).to.include({ host: '::1' })
  })

  for (const url of ['', 'sqlite:', 'signalbook.db', 'postgres://localhost/x', 'mysql:', 'mysql://', 'mysql://root@localhost', 'mysql://root@localhost/', 'mysql://root:p%zz@localhost/x', 'mysql://root@localhost:99999/x']) {
    it(`refuses ${JSON.stringify(url)}, naming the variable and the right forms`, () => {
      expect(() => readDatabaseUrl(url)).to.throw(/^DATABASE_URL must be sqlite:<file>, sqlite::memory: or mysql:\/\//)
    })
  }

  it('keeps a password out of its sentence', () => {
    for (const url of ['mysql://root:hunter2@localhost', 'mysql://root:hunter2%zz@localhost/x', 'mysq://root:hunter2@localhost/x']) {
      expect(() => readDatabaseUrl(url)).to.throw().with.property('message').not.contain('hunter2')
    }
  })
})
