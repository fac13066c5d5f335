import { compareBound } from './bounds.ts'
import type { Pair } from './comparison.ts'
import { compareItems } from './items.ts'
import { compareContains } from './contains.ts'
import { breaksAnyone } from './finding.ts'
import { constraintBreaks } from './relevance.ts'
import { ARRAY } from './type-set.ts'

/** Rules `arr.*`. */
export function compareArrays(pair: Pair): void {
  compareBound(pair, { keyword: 'minItems', rule: 'arr.min-items', name: 'minimum number of items', is: 'lower', bearsOn: ARRAY })
  compareBound(pair, { keyword: 'maxItems', rule: 'arr.max-items', name: 'maximum number of items', is: 'upper', bearsOn: ARRAY })
  compareUnique(pair)
  compareItems(pair)
  compareContains(pair)
}

function compareUnique(pair: Pair): void {
  const from = pair.from.keywords['uniqueItems'] === true
  const to = pair.to.keywords['uniqueItems'] === true
  if (from === to) return
  const breaks = constraintBreaks(pair, ARRAY, { tighter: to, looser: from })
  if (breaksAnyone(breaks)) pair.report({ rule: 'arr.unique-items', breaks, says: to ? 'items must now be unique' : 'items no longer need to be unique', from, to })
}
