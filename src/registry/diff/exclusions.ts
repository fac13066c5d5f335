import type { Pair } from './comparison.ts'
import { breaksAnyone, reversed } from './finding.ts'
import { NO_TYPE } from './type-set.ts'

/** Rule `comb.not`: what is excluded more widely is refused more often. */
export function compareExclusions(pair: Pair): void {
  const from = pair.from.keywords['not']
  const to = pair.to.keywords['not']
  if (from === undefined && to === undefined) return
  const inner = reversed(pair.compare(from ?? false, to ?? false).breaks)
  // To exclude strings from numbers excludes nothing.
  const breaks = {
    producers: inner.producers && (pair.sides.to.normalise(to ?? false).possible & pair.from.possible) !== NO_TYPE,
    consumers: inner.consumers && (pair.sides.from.normalise(from ?? false).possible & pair.to.possible) !== NO_TYPE,
  }
  if (from !== undefined && to !== undefined) pair.descendForNotes({ to: 'branch', keyword: 'not' }, from, to)
  if (!breaksAnyone(inner)) return
  const says = from === undefined ? 'now excludes certain values' : to === undefined ? 'no longer excludes certain values' : 'excludes other values than before'
  pair.report({ rule: 'comb.not', breaks, says, from, to })
}
