import { SECOND } from '../duration.ts'
import { invalid } from '../error.ts'
import { driverCode } from './dialect.ts'
import type { DatabaseTarget, Dialect } from './dialect.ts'

type MysqlTarget = Extract<DatabaseTarget, { engine: 'mysql' }>

/** The part of the mysql2 package's connection that is used here. */
interface MysqlConnection {
  query(sql: string, done: (error: Error | null) => void): void
  promise(): { query(sql: string, values: unknown[]): Promise<unknown>; execute(sql: string, values: unknown[]): Promise<unknown> }
}

/** The part of it that the migration lock uses. */
interface MigratingConnection {
  promise(): { query(sql: string, values: unknown[]): Promise<[unknown, unknown]> }
}

const MIGRATION_WAIT_SECONDS = 60
const CONNECT_TIMEOUT_MS = 5 * SECOND
// A request that waits longer than this for a connection is better told 503 than kept.
const ACQUIRE_TIMEOUT_MS = 5 * SECOND

// READ COMMITTED: under REPEATABLE READ, SKIP LOCKED claims deadlock. Strict mode: a text that does not fit is an error and never cut.
const ISOLATION = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED'
const SESSION = `SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO', innodb_lock_wait_timeout = 10`

const UNAVAILABLE = new Set([
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EHOSTUNREACH', 'EAI_AGAIN',
  'PROTOCOL_CONNECTION_LOST', 'PROTOCOL_SEQUENCE_TIMEOUT', 'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR', 'PROTOCOL_ENQUEUE_AFTER_QUIT',
  'ER_CON_COUNT_ERROR', 'ER_LOCK_WAIT_TIMEOUT', 'ER_LOCK_DEADLOCK', 'ER_SERVER_SHUTDOWN', 'ER_NEW_ABORTING_CONNECTION',
  'ER_DISK_FULL', 'ER_RECORD_FILE_FULL', 'ER_OPTION_PREVENTS_STATEMENT', 'ER_CONNECTION_KILLED', 'ER_QUERY_INTERRUPTED',
])

/** Answers the engine questions for MySQL 8 and MariaDB 10.6 or later through the mysql2 package. */
export function mysqlDialect(target: MysqlTarget): Dialect {
  let collation = ''
  return {
    hasPrograms: false,
    label: `mysql://${target.host}:${target.port}/${target.database}`,
    knexConfig() {
      return {
        client: 'mysql2',
        connection: {
          host: target.host,
          port: target.port,
          user: target.user,
          password: target.password,
          database: target.database,
          charset: 'utf8mb4',
          timezone: 'Z',
          connectTimeout: CONNECT_TIMEOUT_MS,
        },
        acquireConnectionTimeout: ACQUIRE_TIMEOUT_MS,
        pool: {
          min: 0,
          max: 10,
          afterCreate: (connection: MysqlConnection, done: (error: Error | null) => void) =>
            connection.query(ISOLATION, (error) => (error ? done(error) : connection.query(SESSION, done))),
        },
      }
    },
    async withMigrationLock(database, work) {
      // GET_LOCK belongs to one connection, and the server frees it when that connection ends.
      const connection = await database.client.acquireConnection()
      const name = `signalbook:${target.database}`.slice(0, 64)
      try {
        const [rows] = await connection.promise().query('SELECT GET_LOCK(?, ?) AS held', [name, MIGRATION_WAIT_SECONDS])
        if ((rows as { held: number | null }[])[0]?.held !== 1) {
          throw new Error(`another process has been migrating ${target.database} for over ${MIGRATION_WAIT_SECONDS} s`)
        }
        collation = await byteCollation(connection)
        await work()
        await connection.promise().query('SELECT RELEASE_LOCK(?)', [name])
      } finally {
        await database.client.releaseConnection(connection)
      }
    },
    sequenceKey: (table, column) => table.bigInteger(column).primary(),
    longText: (table, column) => table.text(column, 'longtext'),
    finishTable(table) {
      table.engine('InnoDB')
      table.charset('utf8mb4')
      table.collate(collation)
    },
    async insertBinary(tx, table, row) {
      const columns = Object.keys(row).map((name) => `\`${name}\``)
      const connection = (await tx.client.acquireConnection()) as MysqlConnection
      await connection.promise().execute(`INSERT INTO \`${table}\` (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`, Object.values(row) as unknown[])
    },
    // INSERT IGNORE would also turn texts that do not fit into cut ones; an update that changes nothing hides no fault.
    async insertNew(tx, table, rows, column) {
      const [first] = rows
      if (!first) return
      const columns = Object.keys(first).map((name) => `\`${name}\``)
      const update = `ON DUPLICATE KEY UPDATE \`${column}\` = VALUES(\`${column}\`)`
      // Past knex, which spends as much time on naming the values of a large insert as the database on storing them.
      const connection = (await tx.client.acquireConnection()) as MysqlConnection
      await connection.promise().query(`INSERT INTO \`${table}\` (${columns.join(', ')}) VALUES ? ${update}`, [rows.map((row) => Object.values(row))])
    },
    isDuplicateKey: (error) => driverCode(error) === 'ER_DUP_ENTRY',
    isUnavailable: (error) => UNAVAILABLE.has(driverCode(error) ?? '') || isOfDeadConnection(error) || (error instanceof Error && error.name === 'KnexTimeoutError'),
    openRowReader: () => undefined,
    async explainLossyCommits(database) {
      const [rows] = (await database.raw('SELECT @@innodb_flush_log_at_trx_commit AS flush_at_commit')) as [{ flush_at_commit: number }[]]
      return rows[0]?.flush_at_commit === 1 ? undefined : 'innodb_flush_log_at_trx_commit must be 1'
    },
    async forgetOverwritten(database, tables) {
      await database.raw(`OPTIMIZE TABLE ${tables.map((table) => `\`${table}\``).join(', ')}`)
    },
    async backUp() {
      throw invalid(`this database is backed up with its own tool: mysqldump --single-transaction ${target.database}`)
    },
  }
}

/** A command for a connection that the server has ended, such as the ROLLBACK of a transaction that was under way, fails without a code. */
function isOfDeadConnection(error: unknown): boolean {
  return error instanceof Error && (error as { fatal?: unknown }).fatal === true && driverCode(error) === undefined
}

/** The collation that compares by bytes and does not take "web" and "web " for one, as utf8mb4_bin does; it has a name of its own on each server. */
async function byteCollation(connection: MigratingConnection): Promise<string> {
  const [rows] = await connection.promise().query('SELECT VERSION() AS version', [])
  return /mariadb/i.test((rows as { version: string }[])[0]?.version ?? '') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin'
}
