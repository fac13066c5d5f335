import type { Pair } from './comparison.ts'
import type { Breaks } from './finding.ts'
import type { TypeSet } from './type-set.ts'

/**
 * Whom a keyword breaks that is tighter or looser than before: producers only if values of its type were allowed, consumers
 * only if they still are. Where a type came or went as a whole, the change of type says so already.
 */
export function constraintBreaks(pair: Pair, types: TypeSet, change: { tighter: boolean; looser: boolean }): Breaks {
  return {
    producers: change.tighter && (pair.from.possible & types) !== 0,
    consumers: change.looser && (pair.to.possible & types) !== 0,
  }
}
