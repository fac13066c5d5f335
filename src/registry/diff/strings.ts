import { compareBound } from './bounds.ts'
import type { Pair } from './comparison.ts'
import { bearsOn } from './keyword-types.ts'
import { breaksAnyone } from './finding.ts'
import { constraintBreaks } from './relevance.ts'
import { show } from './show.ts'
import { STRING } from './type-set.ts'

/** Rules `str.*`. */
export function compareStrings(pair: Pair): void {
  compareBound(pair, { keyword: 'minLength', rule: 'str.min-length', name: 'minimum length', is: 'lower', bearsOn: STRING })
  compareBound(pair, { keyword: 'maxLength', rule: 'str.max-length', name: 'maximum length', is: 'upper', bearsOn: STRING })
  comparePattern(pair)
  compareFormat(pair)
}

function comparePattern(pair: Pair): void {
  const from = pair.from.keywords['pattern']
  const to = pair.to.keywords['pattern']
  if (from === to) return
  const breaks = constraintBreaks(pair, STRING, { tighter: to !== undefined, looser: from !== undefined })
  if (!breaksAnyone(breaks)) return
  if (from === undefined) pair.report({ rule: 'str.pattern-added', breaks, says: `pattern ${show(to)} added`, to })
  else if (to === undefined) pair.report({ rule: 'str.pattern-removed', breaks, says: `pattern ${show(from)} removed`, from })
  else pair.report({ rule: 'str.pattern-changed', breaks, says: `pattern changed from ${show(from)} to ${show(to)}`, from, to })
}

/** Numbers have formats as well, such as `int32`. */
function compareFormat(pair: Pair): void {
  const from = pair.from.keywords['format']
  const to = pair.to.keywords['format']
  if (from === to) return
  const breaks = {
    producers: (bearsOn('format', to) & pair.from.possible) !== 0,
    consumers: (bearsOn('format', from) & pair.to.possible) !== 0,
  }
  if (!breaksAnyone(breaks)) return
  if (from === undefined) pair.report({ rule: 'str.format-added', breaks, says: `format ${show(to)} added`, to })
  else if (to === undefined) pair.report({ rule: 'str.format-removed', breaks, says: `format ${show(from)} removed`, from })
  else pair.report({ rule: 'str.format-changed', breaks, says: `format changed from ${show(from)} to ${show(to)}`, from, to })
}
