import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import knex from 'knex'
import type { DatabaseTarget } from '../../src/store/dialect.ts'

export type EngineName = 'sqlite' | 'mariadb'

/** A database of a test's own: its target, the `DATABASE_URL` that names it, and how to remove it. */
export interface TestDatabase {
  target: DatabaseTarget
  url: string
  remove: () => Promise<void>
}

/** Where a MariaDB or MySQL listens, and who may do everything there. */
export interface MysqlServer {
  host: string
  port: number
  user: string
  password: string
}

const MYSQL: MysqlServer = { host: '127.0.0.1', port: 3306, user: 'root', password: '' }

/** Runs a block of tests once on SQLite and once on MariaDB; without a MariaDB its tests are skipped visibly, with CI=true they fail. */
export function onEachEngine(tests: (engine: EngineName) => void): void {
  describe('on SQLite', () => tests('sqlite'))
  describe('on MariaDB', () => {
    before(async function () {
      if (await isListening(MYSQL.host, MYSQL.port)) return
      if (process.env['CI'] === 'true') throw new Error('CI needs MariaDB on 127.0.0.1:3306; start it with scripts/services.sh')
      console.warn('      skipped: no MariaDB on 127.0.0.1:3306; start it with scripts/services.sh')
      this.skip()
    })
    tests('mariadb')
  })
}

/** Makes an empty database; nothing is migrated yet. @param server another MariaDB than the one that all tests share */
export async function createTestDatabase(engine: EngineName, server = MYSQL): Promise<TestDatabase> {
  if (engine === 'sqlite') {
    const directory = await mkdtemp(join(tmpdir(), 'signalbook-'))
    const filename = join(directory, 'signalbook.db')
    return {
      target: { engine: 'sqlite', filename },
      url: `sqlite:${filename}`,
      remove: () => rm(directory, { recursive: true, force: true }),
    }
  }
  const database = `signalbook_test_${randomBytes(8).toString('hex')}`
  await administer(server, `CREATE DATABASE ${database}`)
  return {
    target: { engine: 'mysql', ...server, database },
    url: `mysql://${server.user}@${server.host}:${server.port}/${database}`,
    remove: () => administer(server, `DROP DATABASE ${database}`),
  }
}

async function administer(server: MysqlServer, statement: string): Promise<void> {
  const admin = knex({ client: 'mysql2', connection: { ...server } })
  try {
    await admin.raw(statement)
  } finally {
    await admin.destroy()
  }
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1000 })
    const answer = (listening: boolean) => {
      socket.destroy()
      resolve(listening)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
    socket.once('timeout', () => answer(false))
  })
}
