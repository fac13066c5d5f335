import { SECOND } from '../duration.ts'
import { createTableStatement } from './clickhouse-table.ts'
import type { HttpResponse, Outcome, ProviderConfig } from './destination.ts'
import { quote } from './vendor-answer.ts'

const UNKNOWN_TABLE = 60

/** Faults of the settings or of the table, by `ErrorCodes.cpp`; some of them come with status 500. */
const HALTING = new Set([
  ...[192, 193, 194, 195, 497, 516], // unknown user, wrong or missing password, address not allowed, access denied, authentication failed
  ...[16, 47, 50, UNKNOWN_TABLE, 73, 81, 115], // no such column, unknown identifier, type, table, format, database, setting
  ...[48, 164], // not implemented by the table's engine, read-only user
])

/** Faults of rows that ClickHouse answers with 500, as it does all that it has no better status for. */
const FAULTY_ROWS = new Set([
  ...[6, 25, 26, 27, 38, 41, 53, 72, 117, 131], // text, escape, quotes, input, date, time, type, number, incorrect data, too long a text
  ...[321, 349, 376, 469], // out of the range of its type, null in an ordinary column, UUID, constraint
])

/** The server is short of something for longer than a moment: quota, queries, memory, disk, parts, replicas, Keeper. */
const SHORTAGES = new Set([201, 202, 241, 242, 243, 252, 285, 319, 999])
const SHORTAGE_WAIT_MS = 30 * SECOND

/** Judges by ClickHouse's own code, which also stands on answers of status 200 and says more than any status. */
export function classifyClickhouse(response: HttpResponse, _items: unknown, config: ProviderConfig): Outcome | undefined {
  const code = exceptionCode(response)
  if (code === undefined) return undefined
  const message = `answered ${response.status}: ${quote(response.body === '' ? `exception ${code}` : response.body)}`
  if (HALTING.has(code)) return { kind: 'all', result: { kind: 'halt', code: `exception_${code}`, message: message + advice(code, config) } }
  if (FAULTY_ROWS.has(code)) return { kind: 'bisect', message }
  // More months than one insert may touch are no shortage: less of it passes.
  if (code === 252 && /partitions for single insert/i.test(response.body)) return { kind: 'split', message }
  if (SHORTAGES.has(code)) return { kind: 'all', result: { kind: 'retry', message, afterMs: SHORTAGE_WAIT_MS } }
  return response.status < 300 ? { kind: 'all', result: { kind: 'retry', message } } : undefined
}

function exceptionCode({ headers, body }: HttpResponse): number | undefined {
  // Proxies drop headers; an insert that went well has no body.
  const digits = /^\d{1,5}$/.exec(headers['x-clickhouse-exception-code'] ?? '')?.[0] ?? /Code: (\d{1,5})\. DB::/.exec(body)?.[1]
  return digits === undefined || Number(digits) === 0 ? undefined : Number(digits)
}

function advice(code: number, config: ProviderConfig): string {
  if (code !== UNKNOWN_TABLE) return ''
  return `; a table for events is made by: ${createTableStatement((config['database'] ?? 'default') as string, config['table'] as string)}`
}
