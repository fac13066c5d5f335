import { compareAnnotations } from './annotations.ts'
import { compareArrays } from './arrays.ts'
import { compareAsAlternatives } from './alternatives.ts'
import { compareCombinators } from './combinators.ts'
import type { Pair, RuleFamily } from './comparison.ts'
import { compareNumbers } from './numbers.ts'
import { compareObjects } from './objects.ts'
import { compareStrings } from './strings.ts'
import { compareUnevaluated } from './unevaluated.ts'
import { compareTypes, typesAreDisjoint } from './types.ts'
import { compareValues } from './values.ts'

/**
 * Every rule about definitions. A definition is a conjunction: a value that one side accepts and the other refuses is refused by
 * one of that side's keywords, so it is enough that each family reports whatever its own keywords may refuse.
 */
export const families: readonly RuleFamily[] = [compareMeaning, compareAnnotations]

const keywordFamilies: readonly RuleFamily[] = [compareTypes, compareValues, compareNumbers, compareStrings, compareArrays, compareObjects, compareCombinators, compareUnevaluated]

function compareMeaning(pair: Pair): void {
  // Between a string and a number nothing is left to compare but what people wrote about them.
  if (typesAreDisjoint(pair)) return compareTypes(pair)
  if (compareAsAlternatives(pair)) return
  for (const family of keywordFamilies) family(pair)
}
