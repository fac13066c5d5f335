import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { SqliteValue, ThreadAnswer, ThreadRequest } from './messages.ts'

type Request = ThreadRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never

interface Waiting {
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
}

/** A connection to a SQLite file whose work is done in a thread of its own. */
export class ThreadConnection {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0

  constructor(filename: string) {
    // Source and build differ in the ending only.
    const entry = new URL(`./thread${extname(import.meta.filename)}`, import.meta.url)
    // Node calls its own SQLite experimental in a line on standard error.
    this.#worker = new Worker(entry, { workerData: { filename }, execArgv: ['--disable-warning=ExperimentalWarning'] })
    this.#worker.on('message', (answer: ThreadAnswer) => this.#settle(answer))
    this.#worker.on('error', (error) => this.#fail(Object.assign(new Error(`SQLITE_CANTOPEN: ${error.message}`, { cause: error }), { code: 'SQLITE_CANTOPEN' })))
    this.#worker.on('exit', () => this.#fail(Object.assign(new Error('SQLITE_IOERR: the thread of the database ended'), { code: 'SQLITE_IOERR' })))
    // An idle connection keeps no process alive.
    this.#worker.unref()
  }

  /** Runs statements that take no values. */
  async exec(sql: string): Promise<void> {
    await this.#ask({ kind: 'exec', sql })
  }

  query(sql: string, bindings: readonly unknown[], wants: 'rows' | 'changes'): Promise<unknown> {
    return this.#ask({ kind: 'query', sql, bindings: bindings.map(toValue), wants })
  }

  /** Runs one of `programs.ts`. */
  program(name: string, input: unknown, handedOver: ArrayBuffer[]): Promise<unknown> {
    return this.#ask({ kind: 'program', name, input }, handedOver)
  }

  async close(): Promise<void> {
    await this.#ask({ kind: 'close' })
    await this.#worker.terminate()
  }

  #ask(request: Request, handedOver: ArrayBuffer[] = []): Promise<unknown> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref()
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ ...request, id }, handedOver)
    })
  }

  #settle(answer: ThreadAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('error' in answer) waiting?.reject(Object.assign(new Error(answer.error.message), { code: answer.error.code }))
    else waiting?.resolve(answer.result)
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

function toValue(value: unknown): SqliteValue {
  if (value === undefined) return null
  if (typeof value === 'boolean') return Number(value)
  return value instanceof Date ? value.getTime() : (value as SqliteValue)
}
