import { MINUTE, SECOND } from '../../duration.ts'

/** Segment's SDK starts as low. */
export const BASE_DELAY_MS = 500
export const MAX_DELAY_MS = MINUTE
/** Segment and Customer.io obey a vendor's demand as long; more would let one wrong header stop a destination for days. */
export const MAX_RETRY_AFTER_MS = 300 * SECOND

const HTTP_DATE = /^[A-Za-z]{3,9}[ ,].*\d\d:\d\d:\d\d/

export interface RetryInput {
  /** How often the request was sent, at least 1. */
  attempt: number
  /** What the vendor asked for. */
  afterMs?: number
  now: number
  /** When the time budget began. */
  failingSince: number
  retryForMs: number
  /** From 0 up to 1. */
  random: () => number
}

/** The retry law: full jitter below an exponential bound, never earlier than the vendor asks, given up by time and not by count. */
export function nextAttempt(input: RetryInput): { kind: 'wait'; delayMs: number } | { kind: 'give_up' } {
  const bound = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(input.attempt - 1, 30))
  const asked = Math.min(MAX_RETRY_AFTER_MS, input.afterMs ?? 0)
  const delayMs = Math.max(Math.round(bound * input.random()), asked)
  return input.now + delayMs > input.failingSince + input.retryForMs ? { kind: 'give_up' } : { kind: 'wait', delayMs }
}

/**
 * Reads the header by which a server says when to come again: `Retry-After` in seconds or as an HTTP date, or the
 * spellings of Braze, Segment and Klaviyo, in seconds.
 * @returns milliseconds from now, at least 0; `undefined` when there is none that can be read
 */
export function readRetryAfter(headers: Record<string, string>, now: number): number | undefined {
  for (const name of ['retry-after', 'x-ratelimit-retry-after', 'x-ratelimit-reset', 'ratelimit-reset']) {
    const text = headers[name]?.trim()
    if (!text) continue
    if (/^\d{1,9}(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * SECOND)
    // Date.parse alone takes many a text for a date, "-1" among them.
    const at = name === 'retry-after' && HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN
    if (Number.isFinite(at)) return Math.max(0, at - now)
  }
  return undefined
}
