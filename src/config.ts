import ipaddr from 'ipaddr.js'
import type { DatabaseTarget } from './store/dialect.ts'

/** What the environment says, read once at the start. */
export interface Config {
  database: DatabaseTarget
  host: string
  port: number
  role: 'all' | 'api' | 'relay'
  logLevel: string
  /** What express calls `trust proxy`: whose forwarded headers are believed. */
  trustProxy: boolean | number | string[]
  allowPrivateNetworks: boolean
  /** Lets a monitoring system read the metrics without a key. */
  metricsToken: string | undefined
  /** Requests with a wrong key that an address may make in a minute; 0 for any number. */
  authFailuresPerMinute: number
  /** 32 bytes each: the first encrypts secrets at rest, all decrypt them; none leaves them in the clear. */
  encryptionKeys: Buffer[]
}

/** Every fault of the environment at once, so that a start fails once and not once per fault. */
export class ConfigError extends Error {
  constructor(faults: string[]) {
    super(`the environment is not right:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const ROLES = ['all', 'api', 'relay'] as const
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|::1)$/
const DEFAULT_DATABASE = 'sqlite:./data/signalbook.db'

/**
 * Reads the configuration; README "Configuration" lists the variables.
 * @throws ConfigError naming every fault
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const faults: string[] = []
  const collect = <T>(fallback: T, read: () => T): T => {
    try {
      return read()
    } catch (error) {
      faults.push((error as Error).message)
      return fallback
    }
  }
  const host = env['HOST'] || '127.0.0.1'
  const config: Config = {
    database: collect({ engine: 'sqlite', filename: ':memory:' }, () => readDatabaseUrl(env['DATABASE_URL'] || DEFAULT_DATABASE)),
    host,
    port: collect(0, () => readPort(env['PORT'] || '8080')),
    role: collect('all', () => readChoice('ROLE', env['ROLE'] || 'all', ROLES)),
    logLevel: collect('info', () => readChoice('LOG_LEVEL', env['LOG_LEVEL'] || 'info', LOG_LEVELS)),
    trustProxy: collect(false, () => readTrustProxy(env['TRUST_PROXY'] || 'off')),
    allowPrivateNetworks: collect(false, () => readSwitch('ALLOW_PRIVATE_NETWORKS', env['ALLOW_PRIVATE_NETWORKS'], LOOPBACK.test(host))),
    metricsToken: collect(undefined, () => readToken('METRICS_TOKEN', env['METRICS_TOKEN'])),
    authFailuresPerMinute: collect(0, () => readCount('AUTH_FAILURES_PER_MINUTE', env['AUTH_FAILURES_PER_MINUTE'] || '20')),
    encryptionKeys: collect([], () => readEncryptionKeys(env['ENCRYPTION_KEY'] || '')),
  }
  // Refused and not passed over: someone who sets it relies on it.
  if (env['RELAY_LOG_URL']) faults.push('RELAY_LOG_URL is set, but this release does not support it yet; unset it')
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

/** Takes a `DATABASE_URL` apart. */
export function readDatabaseUrl(url: string): DatabaseTarget {
  const wanted = 'DATABASE_URL must be sqlite:<file>, sqlite::memory: or mysql://user:password@host:3306/database'
  if (url.startsWith('sqlite:')) {
    const filename = url.slice('sqlite:'.length)
    if (filename === '') throw new Error(`${wanted}; it names no file`)
    return { engine: 'sqlite', filename }
  }
  if (!url.startsWith('mysql://') || !URL.canParse(url)) throw new Error(wanted)
  const parsed = new URL(url)
  const decode = (part: string): string => {
    try {
      return decodeURIComponent(part)
    } catch {
      throw new Error(`${wanted}; a % in it must begin an escape such as %25`)
    }
  }
  const database = decode(parsed.pathname.slice(1))
  if (database === '') throw new Error(`${wanted}; it names no database`)
  return {
    engine: 'mysql',
    host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: parsed.port === '' ? 3306 : Number(parsed.port),
    user: decode(parsed.username),
    password: decode(parsed.password),
    database,
  }
}

function readPort(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new Error(`PORT must be a number from 0 (any free port) to 65535; got "${text}"`)
  return port
}

function readChoice<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  if (!(allowed as readonly string[]).includes(text)) throw new Error(`${name} must be one of ${allowed.join(', ')}; got "${text}"`)
  return text as T
}

function readSwitch(name: string, text: string | undefined, fallback: boolean): boolean {
  if (text === undefined || text === '') return fallback
  if (['1', 'true', 'on', 'yes'].includes(text)) return true
  if (['0', 'false', 'off', 'no'].includes(text)) return false
  throw new Error(`${name} must be on or off; got "${text}"`)
}

function readCount(name: string, text: string): number {
  if (!/^[0-9]{1,6}$/.test(text)) throw new Error(`${name} must be a whole number up to 999999, 0 for no limit; got "${text}"`)
  return Number(text)
}

function readToken(name: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  // It travels in a header; and what can be guessed protects nothing.
  if (!/^[\u0021-\u007e]{16,200}$/.test(text)) throw new Error(`${name} must be 16 to 200 printable ASCII characters without spaces`)
  return text
}

const ENCRYPTION_KEY_BYTES = 32

// The message never quotes what was given: it is a secret, or nearly one.
function readEncryptionKeys(text: string): Buffer[] {
  if (text === '') return []
  const keys = text.split(',').map((entry) => readEncryptionKey(entry.trim()))
  if (new Set(keys.map((key) => key.toString('hex'))).size < keys.length) throw new Error('ENCRYPTION_KEY holds the same key twice; name each once')
  return keys
}

function readEncryptionKey(text: string): Buffer {
  if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, 'hex')
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
  const key = Buffer.from(isBase64 ? text : '', 'base64')
  if (key.length === ENCRYPTION_KEY_BYTES) return key
  throw new Error(`ENCRYPTION_KEY must be ${ENCRYPTION_KEY_BYTES} random bytes in base64 or hex, as \`openssl rand -base64 32\` prints them; several are separated by commas`)
}

// What express calls by name: 127.0.0.0/8 and ::1, link-local, and private addresses.
const PROXY_GROUPS = new Set(['loopback', 'linklocal', 'uniquelocal'])

function readTrustProxy(text: string): Config['trustProxy'] {
  if (['off', 'false', 'no', '0'].includes(text)) return false
  // `true` would believe any sender's own X-Forwarded-For.
  if (/^[1-9][0-9]?$/.test(text)) return Number(text)
  const proxies = text.split(',').map((entry) => entry.trim())
  if (proxies.every((entry) => PROXY_GROUPS.has(entry) || ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry))) return proxies
  throw new Error(`TRUST_PROXY must be off, a number of proxies, or their addresses separated by commas; got "${text}"`)
}
