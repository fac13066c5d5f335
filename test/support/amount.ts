const isFull = process.env['PROMISES'] === 'full'

/**
 * How much of something a test of a promise does: few in the suite, all that is promised with `PROMISES=full`, as `npm run soak -- promises`
 * runs it, or what the variable `name` says.
 */
export function amount(name: string, inTheSuite: number, inFull: number): number {
  return Number(process.env[name] ?? (isFull ? inFull : inTheSuite))
}
