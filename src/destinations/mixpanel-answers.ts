import { SECOND } from '../duration.ts'
import type { HttpResponse, Item, Outcome, Result } from './destination.ts'
import { answerObject, answered, listOf, objectOf, quote } from './vendor-answer.ts'

/** Mixpanel's documentation: begin with 2 seconds, double up to 60. */
const FIRST_WAIT_MS = 2 * SECOND
const LONGEST_WAIT_MS = 60 * SECOND

/** Judges an answer of Mixpanel, of whichever of its endpoints. */
export function classifyMixpanel(response: HttpResponse, items: readonly Item[], attempt: number): Outcome | undefined {
  if (response.status === 429 && response.headers['retry-after'] === undefined) {
    const afterMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1))
    return { kind: 'all', result: { kind: 'retry', message: answered(429, response.body), afterMs } }
  }
  if (response.status === 200) return classifySuccess(response)
  return response.status === 400 && items[0]?.lane === 'import' ? classifyPartial(answerObject(response), items) : undefined
}

/** Profiles, and events that are not checked strictly, are refused behind a 200. */
function classifySuccess(response: HttpResponse): Outcome | undefined {
  // Without `verbose`, as behind an old proxy, the whole answer is a digit.
  const isRefused = response.body.trim() === '0' || answerObject(response)['status'] === 0 || Boolean(answerObject(response)['error'])
  return isRefused ? { kind: 'bisect', message: answered(200, response.body) } : undefined
}

/** A 400 of `/import` names the events that it refused; the others are stored and must not be sent again. */
function classifyPartial(answer: Record<string, unknown>, items: readonly Item[]): Outcome | undefined {
  const results = items.map((): Result => ({ kind: 'ok' }))
  const failed = listOf(answer['failed_records']).map(objectOf)
  if (failed.length === 0) return undefined
  for (const record of failed) {
    const index = positionOf(record, items)
    // An event that is refused and cannot be told would count as delivered.
    if (index === undefined) return { kind: 'bisect', message: answered(400, record) }
    results[index] = { kind: 'reject', code: 'rejected', message: answered(400, `${quote(record['field'])}: ${quote(record['message'])}`) }
  }
  return { kind: 'each', results }
}

function positionOf(record: Record<string, unknown>, items: readonly Item[]): number | undefined {
  const index = record['index']
  if (typeof index === 'number' && items[index]) return index
  const insertId = record['insert_id'] ?? record['$insert_id']
  const found = items.findIndex((item) => (JSON.parse(item.body) as { properties: Record<string, unknown> }).properties['$insert_id'] === insertId)
  return found === -1 ? undefined : found
}
