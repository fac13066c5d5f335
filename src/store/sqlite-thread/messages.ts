/** What a value of a row can be on its way between the threads. */
export type SqliteValue = null | number | bigint | string | Uint8Array

/** What the thread is asked to do; it does one thing after the other. */
export type ThreadRequest =
  | { id: number; kind: 'exec'; sql: string }
  | { id: number; kind: 'query'; sql: string; bindings: SqliteValue[]; wants: 'rows' | 'changes' }
  /** Several statements in one go; see `programs.ts`. */
  | { id: number; kind: 'program'; name: string; input: unknown }
  | { id: number; kind: 'close' }

/** What `run` of a statement tells. */
export interface Changes {
  changes: number
  lastID: number
}

export type ThreadAnswer = { id: number; result: unknown } | { id: number; error: { message: string; code: string } }
