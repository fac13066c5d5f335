import { createRequire } from 'node:module'
import type { DatabaseSync } from 'node:sqlite'

type Read = () => Record<string, unknown> | undefined

/**
 * Reads one row on the calling thread: 3 µs where a trip to the database's thread takes 100. In WAL mode a reader waits for no
 * writer. The connection is opened at the first read, when the file exists, and lives as long as the process.
 */
export function directRead(filename: string, table: string): Read {
  let read: Read | undefined
  return () => (read ??= open(filename, table))()
}

function open(filename: string, table: string): Read {
  const { DatabaseSync: Database } = quietly(() => createRequire(import.meta.url)('node:sqlite') as { DatabaseSync: typeof DatabaseSync })
  const statement = new Database(filename, { readOnly: true }).prepare(`SELECT * FROM ${table} LIMIT 1`)
  return () => statement.get()
}

/** Node calls its own SQLite experimental in a line on standard error as soon as it is loaded. */
function quietly<T>(work: () => T): T {
  const emitWarning = process.emitWarning.bind(process)
  process.emitWarning = () => undefined
  try {
    return work()
  } finally {
    process.emitWarning = emitWarning
  }
}
