import { DatabaseSync } from 'node:sqlite'
import type { StatementSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Changes, ThreadAnswer, ThreadRequest } from './messages.ts'
import { programs } from './programs.ts'

// The relay has a few dozen statements; those that knex builds for lists of any length must not pile up.
const KEPT_STATEMENTS = 200

/** Names as the sqlite3 package spells them, by SQLite's primary result code, so that the dialect reads one spelling. */
const CODES: Record<number, string> = {
  5: 'SQLITE_BUSY', 6: 'SQLITE_LOCKED', 8: 'SQLITE_READONLY', 10: 'SQLITE_IOERR', 11: 'SQLITE_CORRUPT', 13: 'SQLITE_FULL', 14: 'SQLITE_CANTOPEN',
  19: 'SQLITE_CONSTRAINT', 26: 'SQLITE_NOTADB',
}

const { filename } = workerData as { filename: string }
const database = new DatabaseSync(filename)
const statements = new Map<string, StatementSync>()

function prepare(sql: string): StatementSync {
  const known = statements.get(sql)
  const statement = known ?? database.prepare(sql)
  // Moved to the end: the one used longest ago is dropped first.
  if (known) statements.delete(sql)
  statements.set(sql, statement)
  if (statements.size > KEPT_STATEMENTS) statements.delete(statements.keys().next().value as string)
  return statement
}

function perform(request: ThreadRequest): unknown {
  switch (request.kind) {
    case 'exec':
      return database.exec(request.sql)
    case 'query':
      if (request.wants === 'rows') return prepare(request.sql).all(...request.bindings)
      return changesOf(prepare(request.sql).run(...request.bindings))
    case 'program': {
      const program = programs[request.name]
      if (!program) throw new Error(`there is no program ${request.name}`)
      return program(prepare, request.input as never)
    }
    case 'close':
      return database.close()
  }
}

function changesOf({ changes, lastInsertRowid }: { changes: number | bigint; lastInsertRowid: number | bigint }): Changes {
  return { changes: Number(changes), lastID: Number(lastInsertRowid) }
}

function describe(error: unknown): { message: string; code: string } {
  const { message, errcode = 0 } = error as Error & { errcode?: number }
  const code = CODES[errcode & 0xff] ?? 'SQLITE_ERROR'
  return { message: `${code}: ${message}`, code }
}

parentPort?.on('message', (request: ThreadRequest) => {
  let answer: ThreadAnswer
  try {
    answer = { id: request.id, result: perform(request) }
  } catch (error) {
    answer = { id: request.id, error: describe(error) }
  }
  parentPort?.postMessage(answer)
  if (request.kind === 'close') parentPort?.close()
})
