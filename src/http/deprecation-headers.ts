import type { DeprecationNotice } from '../snapshot/planned-spec.ts'

/**
 * Tells senders of deprecated specs since when they are (RFC 9745), when they end (RFC 8594) and what to send instead. Headers
 * speak of the whole answer: where a batch meets several deprecated specs, no single end or successor is named.
 */
export function deprecationHeaders(notices: readonly (DeprecationNotice | undefined)[]): Record<string, string> {
  const [first, ...others] = [...new Set(notices)].filter((notice) => notice !== undefined)
  if (!first) return {}
  const since = Math.min(...[first, ...others].map((notice) => notice.since))
  const { sunset, replacedBy } = others.length === 0 ? first : {}
  return {
    Deprecation: `@${Math.floor(since / 1000)}`,
    // The version may go after that day, not on it.
    ...(sunset === undefined ? {} : { Sunset: new Date(`${sunset}T23:59:59Z`).toUTCString() }),
    ...(replacedBy === undefined ? {} : { Link: `</v1/events/${replacedBy.replace('@', '/')}>; rel="successor-version"` }),
  }
}
