import { invalid } from './error.ts'

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const YEAR = 365 * DAY

const UNITS: Record<string, number> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY, y: YEAR }
const LONGEST = 100 * YEAR

/**
 * Reads a duration such as `24h`, `7d`, `90d`, `1y` (365 days), `5m` or `30s`.
 * @returns milliseconds, at least one second and at most 100 years
 * @throws SignalbookError `invalid_request`, naming `what`
 */
export function parseDuration(text: string, what: string): number {
  const match = /^([1-9][0-9]{0,9})([smhdy])$/.exec(text)
  const durationMs = match ? Number(match[1]) * (UNITS[match[2] as string] as number) : Number.NaN
  if (!(durationMs <= LONGEST)) {
    throw invalid(
      `${what} must be a whole number from 1 followed by s, m, h, d or y (365 days), at most 100y, such as 24h, 7d or 1y; got "${text.slice(0, 40)}"`,
    )
  }
  return durationMs
}

/** Writes milliseconds the way `/v1/health` shows its uptime, such as `3h42m10s`. */
export function formatDuration(durationMs: number): string {
  const total = Math.floor(durationMs / SECOND)
  const hours = Math.floor(total / 3600)
  const minutes = Math.floor((total % 3600) / 60)
  const seconds = total % 60
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`
}
