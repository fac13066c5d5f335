import ipaddr from 'ipaddr.js'
import type { ServerResponse } from 'node:http'
import { MINUTE, SECOND } from '../duration.ts'
import { SignalbookError } from '../error.ts'
import { createRateLimiter } from './rate-limiter.ts'

/** How often keys may be used, and how often wrong ones tried. */
export interface RequestLimits {
  /**
   * Counts a request of a key and puts the `RateLimit-*` headers on its answer.
   * @throws SignalbookError `rate_limited` beyond `perSecond`
   */
  countRequest(keyId: number, perSecond: number, res: ServerResponse): void
  /** Counts a request with a wrong key from an address. @returns the refusal that is due in place of a 401 once there were too many */
  countFailure(ip: string | undefined): SignalbookError | undefined
}

// About 100 bytes each: 1 MB of addresses, and keys that were used in the last second.
const MOST_REMEMBERED = 10_000

/**
 * @param authFailuresPerMinute wrong keys that an address may try in a minute, 0 for any number
 * @param now milliseconds of a clock that never goes back
 */
export function createRequestLimits({ authFailuresPerMinute, now }: { authFailuresPerMinute: number; now: () => number }): RequestLimits {
  const requests = createRateLimiter<number>({ windowMs: SECOND, most: MOST_REMEMBERED, now })
  const failures = createRateLimiter<string>({ windowMs: MINUTE, most: MOST_REMEMBERED, now })

  return {
    countRequest(keyId, perSecond, res) {
      const { isExceeded, remaining, resetMs } = requests.take(keyId, perSecond)
      res.setHeader('RateLimit-Limit', perSecond)
      res.setHeader('RateLimit-Remaining', remaining)
      res.setHeader('RateLimit-Reset', seconds(resetMs))
      if (isExceeded) throw rateLimited(`this key may make ${perSecond} requests per second (rate_limit_per_key); send fewer, or several events in one batch`, resetMs)
    },

    countFailure(ip) {
      if (authFailuresPerMinute === 0) return undefined
      const { isExceeded, resetMs } = failures.take(networkOf(ip), authFailuresPerMinute)
      if (!isExceeded) return undefined
      return rateLimited(`more than ${authFailuresPerMinute} requests with a wrong API key came from this address within a minute; send a right one, which works at once, or wait`, resetMs)
    },
  }
}

/** Who an address belongs to: whoever has one IPv6 address has the 2^64 of its network. */
function networkOf(ip: string | undefined): string {
  if (ip === undefined || !ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

function rateLimited(message: string, resetMs: number): SignalbookError {
  return new SignalbookError('rate_limited', message, { retryAfterSeconds: seconds(resetMs) })
}

/** Rounded up: whoever waits this long waits long enough. */
function seconds(ms: number): number {
  return Math.ceil(ms / SECOND)
}
