import { createRequire } from 'node:module'
import type { Knex } from 'knex'
import type { Changes } from './messages.ts'
import { ThreadConnection } from './connection.ts'

/** What knex hands to `_query`, as far as it is used here. */
interface Query {
  sql: string
  bindings?: unknown[]
  method: string
  returning?: unknown
  response?: unknown
  context?: Changes
}

// Knex has no types for its dialects.
const require = createRequire(import.meta.url)
const SqliteClient = require('knex/lib/dialects/sqlite3/index.js') as new (config: Knex.Config) => Knex.Client

const WRITES = new Set(['insert', 'update', 'counter', 'del'])

/** Knex's SQLite dialect over a `ThreadConnection` instead of the sqlite3 package. */
export class ThreadedSqliteClient extends SqliteClient {
  _driver(): object {
    return {}
  }

  // Knex calls the two by these names.
  override async acquireRawConnection(): Promise<ThreadConnection> {
    return new ThreadConnection((this.connectionSettings as { filename: string }).filename)
  }

  override async destroyRawConnection(connection: ThreadConnection): Promise<void> {
    await connection.close()
  }

  async _query(connection: ThreadConnection, query: Query): Promise<Query> {
    if (WRITES.has(query.method) && !query.returning) query.context = (await connection.query(query.sql, query.bindings ?? [], 'changes')) as Changes
    else query.response = await connection.query(query.sql, query.bindings ?? [], 'rows')
    return query
  }
}
