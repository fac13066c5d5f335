import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import knex from 'knex'
import type { Knex } from 'knex'
import type sqlite3 from 'sqlite3'
import { MINUTE, SECOND } from '../duration.ts'
import { invalid } from '../error.ts'
import { driverCode } from './dialect.ts'
import type { DatabaseTarget, Dialect } from './dialect.ts'
import { openRowReader } from './sqlite-row-reader.ts'
import { ThreadConnection } from './sqlite-thread/connection.ts'
import { ThreadedSqliteClient } from './sqlite-thread/knex-client.ts'

type SqliteTarget = Extract<DatabaseTarget, { engine: 'sqlite' }>

const MEMORY = ':memory:'
// A second process (the command line, a backup) may hold the write lock for a moment.
const BUSY_TIMEOUT_MS = 5 * SECOND
const MIGRATION_WAIT_MS = MINUTE

// Senders' own message ids are random: the pages of the log's unique index that they touch should be in memory.
const CACHE_KIB = 16 * 1024

// SQLite opens a WAL database as synchronous=NORMAL unless told: no fsync per commit, so a power cut loses answers already given.
const PRAGMAS = `
  PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS};
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA foreign_keys = ON;
  PRAGMA cache_size = -${CACHE_KIB};
`

const UNAVAILABLE = new Set(['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_FULL', 'SQLITE_IOERR', 'SQLITE_READONLY', 'SQLITE_CANTOPEN'])

type Connection = ThreadConnection | sqlite3.Database

/**
 * The relay's log goes through Node's own SQLite in a thread, several times as fast; everything else through the sqlite3 package.
 * Never one file through both: two copies of SQLite in one process cancel each other's POSIX locks.
 */
function configFor({ filename, inThread }: SqliteTarget, pragmas: string): Knex.Config {
  return {
    client: inThread ? (ThreadedSqliteClient as unknown as typeof Knex.Client) : 'sqlite3',
    connection: { filename },
    useNullAsDefault: true,
    // One writer connection. It also serves the reads, so nothing may query outside a transaction that is open.
    pool: {
      min: 1,
      max: 1,
      // Without a result: knex warns of a promise here.
      afterCreate: (connection: Connection, done: (error: Error | null) => void) => {
        if (connection instanceof ThreadConnection) void connection.exec(pragmas).then(() => done(null), done)
        else connection.exec(pragmas, done)
      },
    },
  }
}

/** Answers the engine questions for SQLite. */
export function sqliteDialect(target: SqliteTarget): Dialect {
  const inMemory = target.filename === MEMORY
  return {
    hasPrograms: target.inThread === true,
    label: `sqlite:${target.filename}`,
    knexConfig() {
      if (!inMemory) mkdirSync(dirname(target.filename), { recursive: true })
      return configFor(target, PRAGMAS)
    },
    async withMigrationLock(_database, work) {
      if (inMemory) return work()
      // An exclusive transaction on a file beside the database: the system frees it when the process dies.
      const lock = knex(configFor({ ...target, filename: `${target.filename}.migrating` }, `PRAGMA busy_timeout = ${MIGRATION_WAIT_MS};`))
      try {
        await lock.raw('BEGIN EXCLUSIVE')
        await work()
        await lock.raw('COMMIT')
      } finally {
        await lock.destroy()
      }
    },
    // Not knex's bigIncrements: AUTOINCREMENT would write a second table at every insert.
    sequenceKey: (table, column) => table.integer(column).primary(),
    longText: (table, column) => table.text(column),
    finishTable: () => {
      // SQLite compares text by bytes already.
    },
    async insertBinary(tx, table, row) {
      await tx(table).insert(row)
    },
    async insertNew(tx, table, rows, column) {
      await tx(table).insert(rows).onConflict(column).ignore()
    },
    isDuplicateKey: (error) => driverCode(error) === 'SQLITE_CONSTRAINT' && /UNIQUE|PRIMARY KEY/.test(String((error as Error).message)),
    isUnavailable: (error) => UNAVAILABLE.has(driverCode(error) ?? '') || isPoolTimeout(error),
    // A database in memory belongs to its one connection.
    openRowReader: (table) => (inMemory || target.inThread ? undefined : openRowReader(target.filename, table)),
    async explainLossyCommits(database) {
      if (inMemory) return undefined
      const [row] = await database.raw<{ synchronous: number }[]>('PRAGMA synchronous')
      return row && row.synchronous >= 2 ? undefined : 'PRAGMA synchronous must be FULL (2) or EXTRA (3)'
    },
    async forgetOverwritten(database) {
      await database.raw('VACUUM')
      const [checkpoint] = await database.raw<{ busy: number }[]>('PRAGMA wal_checkpoint(TRUNCATE)')
      if (checkpoint?.busy === 1) throw Object.assign(new Error('the database was too busy to clear its write-ahead log, which may hold overwritten texts for a while; run this again'), { code: 'SQLITE_BUSY' })
    },
    async backUp(database, file) {
      if (inMemory) throw invalid('a database in memory cannot be backed up; let DATABASE_URL name a file')
      // Opening would create an empty one.
      if (!existsSync(target.filename)) throw invalid(`there is no database ${target.filename}; DATABASE_URL must name the one to back up`)
      // One read transaction: writers go on, and restart nothing as they would with the step-wise backup interface.
      await database.raw('VACUUM INTO ?', [file])
    },
  }
}

function isPoolTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'KnexTimeoutError'
}
