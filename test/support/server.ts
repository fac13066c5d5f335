import supertest from 'supertest'
import type { Config } from '../../src/config.ts'
import { startService } from '../../src/main.ts'
import type { Service } from '../../src/main.ts'
import type { DatabaseTarget } from '../../src/store/dialect.ts'
import type { Role } from '../../src/store/actor.ts'
import { createTestDatabase } from './database.ts'
import type { EngineName, TestDatabase } from './database.ts'

export type Method = 'get' | 'post' | 'put' | 'delete' | 'patch' | 'head' | 'options'

/** A service that a test calls. */
export interface Callable {
  url: string
  /** The key that the bootstrap gave. */
  adminKey: string
  /** Calls with a key: the admin's unless another is given, none for `''`. */
  call: (method: Method, path: string, key?: string) => supertest.Test
  /** A new key of a role. */
  keyFor: (role: Role, expiresIn?: string) => Promise<{ id: number; key: string }>
}

/** A service of a test's own on a database of its own, with every answer held against the contract. */
export interface TestServer extends Callable {
  home: TestDatabase
  service: Service
  /** Stops the service and starts it again on the same database, configured as before but for `changes`. */
  restart: (changes?: Partial<Config>) => Promise<void>
  stop: () => Promise<void>
}

/** Starts a service with its first admin key made. @param reroute leads its connections elsewhere, such as through a wire that can be cut */
export async function startTestServer(
  engine: EngineName,
  changes: Partial<Config> = {},
  reroute: (target: DatabaseTarget) => DatabaseTarget = (target) => target,
): Promise<TestServer> {
  const home = await createTestDatabase(engine)
  const server = await startOn(home, { database: reroute(home.target), ...changes })
  await bootstrap(server)
  return server
}

/** Makes the first key, which is from now on the one that calls are made with. */
export async function bootstrap(server: Callable): Promise<void> {
  const answer = await supertest(server.url).post('/v1/admin/keys').send({ role: 'admin', name: 'root' })
  if (answer.status !== 201) throw new Error(`bootstrap failed: ${answer.status} ${answer.text}`)
  server.adminKey = (answer.body as { key: string }).key
}

/** How calls are made to a service, wherever it runs. */
export function callsOf(server: () => { url: string; adminKey: string }): Pick<Callable, 'call' | 'keyFor'> {
  const call: Callable['call'] = (method, path, key = server().adminKey) => {
    const test = supertest(server().url)[method](path)
    return key === '' ? test : test.set('Authorization', `Bearer ${key}`)
  }
  return {
    call,
    async keyFor(role, expiresIn) {
      const answer = await call('post', '/v1/admin/keys').send({ role, ...(expiresIn ? { expires_in: expiresIn } : {}) })
      return answer.body as { id: number; key: string }
    },
  }
}

/** Starts a service on a database that exists, without making a key. */
export async function startOn(home: TestDatabase, changes: Partial<Config> = {}): Promise<TestServer> {
  const config: Config = {
    database: home.target,
    host: '127.0.0.1',
    port: 0,
    role: 'all',
    logLevel: process.env['TEST_LOG_LEVEL'] ?? 'silent',
    trustProxy: false,
    allowPrivateNetworks: true,
    metricsToken: undefined,
    // Tests try more wrong keys in a minute than anyone else; those of the limit itself switch it on.
    authFailuresPerMinute: 0,
    encryptionKeys: [],
    ...changes,
  }
  const start = () => startService(config, { validateResponses: true })
  const server: TestServer = {
    url: '',
    home,
    service: await start(),
    adminKey: '',
    ...callsOf(() => server),
    async restart(changes = {}) {
      await server.service.stop()
      Object.assign(config, changes)
      server.service = await start()
      server.url = server.service.url
    },
    async stop() {
      await server.service.stop()
      await home.remove()
    },
  }
  server.url = server.service.url
  return server
}
