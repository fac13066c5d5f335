import { compareAllOf } from './all-of.ts'
import { compareAlternatives } from './alternatives.ts'
import type { Pair } from './comparison.ts'
import { compareConditionals } from './conditionals.ts'
import { compareExclusions } from './exclusions.ts'

/** Rules `comb.*`. */
export function compareCombinators(pair: Pair): void {
  compareAllOf(pair)
  compareAlternatives(pair)
  compareExclusions(pair)
  compareConditionals(pair)
}
