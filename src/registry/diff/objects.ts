import { compareBound } from './bounds.ts'
import type { Pair } from './comparison.ts'
import { compareDependencies } from './dependencies.ts'
import { compareOtherProperties } from './other-properties.ts'
import { compareProperties } from './properties.ts'
import { breaksAnyone } from './finding.ts'
import { constraintBreaks } from './relevance.ts'
import { refusesNothing } from './annotation-keywords.ts'
import { OBJECT } from './type-set.ts'

/** Rules `prop.*` and `obj.*`. */
export function compareObjects(pair: Pair): void {
  compareBound(pair, { keyword: 'minProperties', rule: 'obj.min-properties', name: 'minimum number of properties', is: 'lower', bearsOn: OBJECT })
  compareBound(pair, { keyword: 'maxProperties', rule: 'obj.max-properties', name: 'maximum number of properties', is: 'upper', bearsOn: OBJECT })
  if ((pair.from.possible & pair.to.possible & OBJECT) === 0) return
  compareProperties(pair)
  compareOtherProperties(pair)
  comparePropertyNames(pair)
  compareDependencies(pair)
}

function comparePropertyNames(pair: Pair): void {
  const from = pair.from.keywords['propertyNames'] ?? true
  const to = pair.to.keywords['propertyNames'] ?? true
  const { breaks } = pair.compare(from, to)
  const real = constraintBreaks(pair, OBJECT, { tighter: breaks.producers, looser: breaks.consumers })
  pair.descendForNotes({ to: 'branch', keyword: 'propertyNames' }, from, to)
  if (!breaksAnyone(real)) return
  const change = refusesNothing(from) ? 'are now restricted' : refusesNothing(to) ? 'are no longer restricted' : 'are restricted in another way'
  pair.report({ rule: 'obj.property-names', breaks: real, says: `property names ${change}`, from, to })
}
