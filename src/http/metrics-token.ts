import { createHash, timingSafeEqual } from 'node:crypto'
import type { Operation } from '../contract/operations.ts'

/** Says whether a request is the monitoring system's: it may read the metrics with METRICS_TOKEN in place of a key. */
export function createTokenCheck(token: string | undefined): (operation: Operation, authorization: string | undefined) => boolean {
  if (token === undefined) return () => false
  // Texts of any length become comparable in constant time.
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(token)
  return (operation, authorization) => {
    if (operation.id !== 'getMetrics') return false
    const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    return given !== undefined && timingSafeEqual(digest(given), expected)
  }
}
