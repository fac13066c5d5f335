import { DAY, HOUR, MINUTE, SECOND } from '../duration.ts'

/** Waits before the second and each later attempt, as the Standard Webhooks specification suggests: eight attempts over about 28 hours. */
const WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]

/** How often a delivery is attempted before it is given up. */
export const MOST_ATTEMPTS = WAITS_MS.length + 1

// Receivers that come back together shall not all be called in the same second.
const JITTER = 0.1

/** A webhook that has failed for this long, without one success, is switched off. */
export const DISABLE_AFTER_MS = 5 * DAY

const GONE = 410

export type AttemptVerdict = { kind: 'delivered' } | { kind: 'retry'; afterMs: number } | { kind: 'failed' } | { kind: 'disable'; reason: string }

/**
 * Judges one attempt. Only 2xx is success; a redirect is a failure and never followed; 410 says that nobody listens any more.
 * @param status HTTP status, 0 when there was no answer
 * @param attempts how many were made, this one included
 * @param failingForMs how long every attempt at this webhook has failed
 * @param random 0..1
 */
export function judgeAttempt(input: { status: number; attempts: number; failingForMs: number; random: number }): AttemptVerdict {
  if (input.status >= 200 && input.status < 300) return { kind: 'delivered' }
  if (input.status === GONE) return { kind: 'disable', reason: 'the receiver answered 410 Gone' }
  if (input.failingForMs >= DISABLE_AFTER_MS) return { kind: 'disable', reason: 'every attempt failed for 120 hours' }
  const waitMs = WAITS_MS[input.attempts - 1]
  return waitMs === undefined ? { kind: 'failed' } : { kind: 'retry', afterMs: Math.round(waitMs * (1 + JITTER * input.random)) }
}
