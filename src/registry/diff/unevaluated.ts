import type { Pair } from './comparison.ts'
import { breaksAnyone } from './finding.ts'
import { constraintBreaks } from './relevance.ts'
import { skeletonOf } from './skeleton.ts'
import { ARRAY, OBJECT } from './type-set.ts'

/**
 * Rules `obj.unevaluated-properties` and `arr.unevaluated-items`, where the normal form could not write the keyword as
 * `additionalProperties` or `items`: what it refuses then depends on everything beside it. Unless that stayed the same, any
 * change may break.
 */
export function compareUnevaluated(pair: Pair): void {
  compareKeyword(pair, 'unevaluatedProperties', 'obj.unevaluated-properties', OBJECT)
  compareKeyword(pair, 'unevaluatedItems', 'arr.unevaluated-items', ARRAY)
}

function compareKeyword(pair: Pair, keyword: string, rule: 'obj.unevaluated-properties' | 'arr.unevaluated-items', types: number): void {
  const from = pair.from.keywords[keyword]
  const to = pair.to.keywords[keyword]
  if (from === undefined && to === undefined) return
  const inner = isSameBeside(pair, keyword) ? pair.compare(from ?? true, to ?? true).breaks : { producers: to !== undefined, consumers: from !== undefined }
  const breaks = constraintBreaks(pair, types, { tighter: inner.producers, looser: inner.consumers })
  if (!breaksAnyone(breaks)) return
  const says = from === undefined ? `${keyword} added` : to === undefined ? `${keyword} removed` : `${keyword}, or what it depends on, changed`
  pair.report({ rule, breaks, says, from, to })
}

function isSameBeside(pair: Pair, keyword: string): boolean {
  const before = skeletonOf(pair.from.source, pair.sides.from, [keyword])
  return before !== undefined && before === skeletonOf(pair.to.source, pair.sides.to, [keyword])
}
