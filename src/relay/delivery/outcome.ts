import type { Outcome, Result } from '../../destinations/destination.ts'
import { readRetryAfter } from './backoff.ts'

/** An HTTP exchange as far as the default classifier looks at it. */
export interface Answer {
  status: number
  headers: Record<string, string>
  body: string
}

// 425: TLS early data; 520 to 524 and 529: a proxy in front of the vendor.
const RETRIED = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529])
const HALTING = new Set([401, 402, 403, 404, 410])
const QUOTE_LENGTH = 200

/**
 * Judges an answer that the provider has no opinion on.
 * 2xx is success; faults of the event are told from faults of the moment and from faults of the settings.
 * @param itemCount how many items the request held
 * @param now epoch milliseconds, for a `Retry-After` that is a date
 */
export function classifyAnswer(answer: Answer, itemCount: number, now: number): Outcome {
  const { status } = answer
  const message = describeAnswer(answer)
  if (status >= 200 && status < 300) return all({ kind: 'ok' })
  if (RETRIED.has(status)) {
    const afterMs = readRetryAfter(answer.headers, now)
    return all({ kind: 'retry', message, ...(afterMs === undefined ? {} : { afterMs }) })
  }
  if (status === 413) return itemCount > 1 ? { kind: 'split', message } : all({ kind: 'reject', code: 'too_large', message })
  // A redirect is not followed: the settings name the wrong address, or somebody answers in the vendor's place.
  if (HALTING.has(status) || (status >= 300 && status < 400)) return all({ kind: 'halt', code: `http_${status}`, message })
  if (status === 501 || status === 505) return all({ kind: 'reject', code: `http_${status}`, message })
  if (status >= 500) return all({ kind: 'retry', message })
  return itemCount > 1 ? { kind: 'bisect', message } : all({ kind: 'reject', code: 'rejected', message })
}

/** The verdict on a request that got no answer. */
export function classifyFailure(failure: { kind: 'no_answer' | 'refused'; message: string }): Outcome {
  return all(failure.kind === 'refused' ? { kind: 'halt', code: 'address_refused', message: failure.message } : { kind: 'retry', message: failure.message })
}

/** The results of `itemCount` items, one by one. A list that is too short leaves the rest to be sent again. */
export function resultsOf(outcome: Extract<Outcome, { kind: 'all' | 'each' }>, itemCount: number): Result[] {
  return Array.from({ length: itemCount }, (_, index) =>
    outcome.kind === 'all' ? outcome.result : (outcome.results[index] ?? { kind: 'retry', message: 'the answer does not speak of this item' }),
  )
}

/** A status and the beginning of what the server said, on one line. */
export function describeAnswer(answer: Answer): string {
  const body = answer.body.replaceAll(/\s+/g, ' ').trim().slice(0, QUOTE_LENGTH)
  return body === '' ? `answered ${answer.status}` : `answered ${answer.status}: ${body}`
}

function all(result: Result): Outcome {
  return { kind: 'all', result }
}
