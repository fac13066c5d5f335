import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import knex from 'knex'
import type { DatabaseTarget } from '../../src/store/dialect.ts'
import { orderSpec } from './payloads.ts'
import { startService } from './processes.ts'
import type { ServerProcess } from './processes.ts'

/** An empty database of a measurement's own and a directory for its files. */
export interface Home {
  target: DatabaseTarget
  url: string
  /** Writes a body to a file for the load process. */
  bodyFile: (body: object) => Promise<string>
  remove: () => Promise<void>
}

/** A service with a key, the spec, a source and its destination. */
export interface Prepared {
  server: ServerProcess
  headers: { Authorization: string }
  key: string
}

const MYSQL = { host: '127.0.0.1', port: 3306, user: 'root', password: '' }

export async function createHome(engine: 'sqlite' | 'mariadb'): Promise<Home> {
  const directory = await mkdtemp(join(tmpdir(), 'signalbook-bench-'))
  let bodies = 0
  const bodyFile = async (body: object) => {
    const file = join(directory, `body-${++bodies}.json`)
    await writeFile(file, JSON.stringify(body))
    return file
  }
  const removeDirectory = () => rm(directory, { recursive: true, force: true })
  if (engine === 'sqlite') {
    const filename = join(directory, 'signalbook.db')
    return { target: { engine, filename }, url: `sqlite:${filename}`, bodyFile, remove: removeDirectory }
  }
  const database = `signalbook_bench_${randomBytes(6).toString('hex')}`
  await administer(`CREATE DATABASE ${database}`)
  return {
    target: { engine: 'mysql', ...MYSQL, database },
    url: `mysql://${MYSQL.user}@${MYSQL.host}:${MYSQL.port}/${database}`,
    bodyFile,
    async remove() {
      await administer(`DROP DATABASE ${database}`)
      await removeDirectory()
    },
  }
}

async function administer(statement: string): Promise<void> {
  const admin = knex({ client: 'mysql2', connection: MYSQL })
  try {
    await admin.raw(statement)
  } finally {
    await admin.destroy()
  }
}

/** How a prepared service differs from one that only accepts. */
export interface PrepareOptions {
  env?: Record<string, string>
  destinations?: { name: string; provider: string; config: object }[]
}

/** Starts a service on an empty home and makes what the measured calls need. */
export async function prepare(home: Home, options: PrepareOptions = {}): Promise<Prepared> {
  const server = await startService({ DATABASE_URL: home.url, ROLE: 'api', ALLOW_PRIVATE_NETWORKS: 'on', ...options.env })
  const { key } = (await post(server, '/v1/admin/keys', { role: 'admin' })) as { key: string }
  const destinations = options.destinations ?? [{ name: 'nothing', provider: 'noop', config: {} }]
  for (const destination of destinations) await post(server, '/v1/admin/destinations', destination, key)
  await post(server, '/v1/events', orderSpec(), key)
  await post(server, '/v1/admin/sources', { name: 'web-shop', events: ['shop/**'], destinations: destinations.map(({ name }) => name) }, key)
  return { server, headers: { Authorization: `Bearer ${key}` }, key }
}

/** A call that must succeed. */
export async function post(server: ServerProcess, path: string, body: object, key?: string): Promise<unknown> {
  const headers = { 'Content-Type': 'application/json', ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }) }
  const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}
