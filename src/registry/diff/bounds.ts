import type { Pair } from './comparison.ts'
import { breaksAnyone } from './finding.ts'
import { constraintBreaks } from './relevance.ts'
import type { RuleId } from './rules.ts'
import type { TypeSet } from './type-set.ts'

/** A keyword that counts or measures: `minLength`, `maxItems`. */
export interface Bound {
  keyword: string
  rule: RuleId
  /** As in a sentence: `minimum length`. */
  name: string
  is: 'lower' | 'upper'
  bearsOn: TypeSet
}

/** Compares one bound that is a plain number, absent when it refuses nothing. */
export function compareBound(pair: Pair, { keyword, rule, name, is, bearsOn }: Bound): void {
  const from = pair.from.keywords[keyword] as number | undefined
  const to = pair.to.keywords[keyword] as number | undefined
  if (from === to) return
  const loosest = is === 'lower' ? -Infinity : Infinity
  const rises = (to ?? loosest) > (from ?? loosest)
  const breaks = constraintBreaks(pair, bearsOn, { tighter: rises === (is === 'lower'), looser: rises !== (is === 'lower') })
  if (breaksAnyone(breaks)) pair.report({ rule, breaks, says: sayBound(name, from, to), from, to })
}

/** `maximum decreased from 10 to 5`, `maximum 5 added`, `maximum 10 removed`. */
export function sayBound(name: string, from: number | undefined, to: number | undefined): string {
  if (from === undefined) return `${name} ${to} added`
  if (to === undefined) return `${name} ${from} removed`
  return `${name} ${to > from ? 'increased' : 'decreased'} from ${from} to ${to}`
}
