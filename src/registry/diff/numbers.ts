import type { Pair } from './comparison.ts'
import { sayBound } from './bounds.ts'
import { divides } from './decimal.ts'
import type { Definition } from './definition.ts'
import { breaksAnyone } from './finding.ts'
import { constraintBreaks } from './relevance.ts'
import { FRACTION, NUMBER } from './type-set.ts'

interface Limit {
  value: number
  isExclusive: boolean
}

/** Rules `num.*`. */
export function compareNumbers(pair: Pair): void {
  compareLimit(pair, 'minimum')
  compareLimit(pair, 'maximum')
  compareMultipleOf(pair)
}

function compareLimit(pair: Pair, which: 'minimum' | 'maximum'): void {
  const from = limitOf(pair.from, which)
  const to = limitOf(pair.to, which)
  if (from?.value === to?.value && from?.isExclusive === to?.isExclusive) return
  // A whole number over 0 is one from 1 on.
  const isWhole = ((pair.from.possible | pair.to.possible) & FRACTION) === 0
  const order = compareLimits(isWhole ? wholeLimit(from, which) : from, isWhole ? wholeLimit(to, which) : to, which)
  const breaks = constraintBreaks(pair, NUMBER, { tighter: order > 0, looser: order < 0 })
  if (order !== 0 && !breaksAnyone(breaks)) return
  const isExclusiveness = from !== undefined && from.value === to?.value
  const rule = order === 0 ? 'ann.no-effect' : isExclusiveness ? (`num.exclusive-${which}` as const) : (`num.${which}` as const)
  pair.report({ rule, breaks, says: order === 0 ? `${sayLimit(which, from, to)}, without effect on whole numbers` : sayLimit(which, from, to), from: from?.value, to: to?.value })
}

/** The tighter one of the inclusive and the exclusive bound. */
function limitOf({ keywords }: Definition, which: 'minimum' | 'maximum'): Limit | undefined {
  const inclusive = keywords[which] as number | undefined
  const exclusive = keywords[which === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'] as number | undefined
  const limits: Limit[] = []
  if (inclusive !== undefined) limits.push({ value: inclusive, isExclusive: false })
  if (exclusive !== undefined) limits.push({ value: exclusive, isExclusive: true })
  return limits.sort((one, other) => compareLimits(one, other, which))[0]
}

/** How much tighter `to` is than `from`: positive, negative when looser, 0 when equal. */
function compareLimits(from: Limit | undefined, to: Limit | undefined, which: 'minimum' | 'maximum'): number {
  if (from === undefined || to === undefined) return Number(to !== undefined) - Number(from !== undefined)
  if (from.value !== to.value) return to.value > from.value === (which === 'minimum') ? 1 : -1
  return Number(to.isExclusive) - Number(from.isExclusive)
}

function wholeLimit(limit: Limit | undefined, which: 'minimum' | 'maximum'): Limit | undefined {
  if (limit === undefined) return undefined
  const whole = which === 'minimum' ? Math.ceil(limit.value) : Math.floor(limit.value)
  const isPassed = limit.isExclusive && whole === limit.value
  return { value: isPassed ? whole + (which === 'minimum' ? 1 : -1) : whole, isExclusive: false }
}

function sayLimit(which: 'minimum' | 'maximum', from: Limit | undefined, to: Limit | undefined): string {
  if (from !== undefined && from.value === to?.value) return `${which} ${to.value} became ${to.isExclusive ? 'exclusive' : 'inclusive'}`
  const isExclusive = to?.isExclusive ?? from?.isExclusive
  return sayBound(isExclusive ? `exclusive ${which}` : which, from?.value, to?.value)
}

function compareMultipleOf(pair: Pair): void {
  const from = pair.from.keywords['multipleOf'] as number | undefined
  const to = pair.to.keywords['multipleOf'] as number | undefined
  if (from === to) return
  const implied = { from: impliedStep(pair.from, from), to: impliedStep(pair.to, to) }
  const tighter = implied.to !== undefined && !(implied.from !== undefined && divides(implied.to, implied.from))
  const looser = implied.from !== undefined && !(implied.to !== undefined && divides(implied.from, implied.to))
  const breaks = constraintBreaks(pair, NUMBER, { tighter, looser })
  if ((tighter || looser) && !breaksAnyone(breaks)) return
  pair.report({ rule: tighter || looser ? 'num.multiple-of' : 'ann.no-effect', breaks, says: sayMultiple(from, to), from, to })
}

/** Whole numbers are multiples of 1, whether or not anything says so, or says 0.5. */
function impliedStep({ possible }: Definition, step: number | undefined): number | undefined {
  const isWhole = (possible & FRACTION) === 0
  return isWhole && (step === undefined || divides(step, 1)) ? 1 : step
}

function sayMultiple(from: number | undefined, to: number | undefined): string {
  if (from === undefined) return `must now be a multiple of ${to}`
  if (to === undefined) return `no longer needs to be a multiple of ${from}`
  return `must now be a multiple of ${to}, no longer of ${from}`
}
