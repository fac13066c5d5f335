import { sayBound } from './bounds.ts'
import type { Pair } from './comparison.ts'
import { breaksAnyone, NO_BREAKS } from './finding.ts'
import type { Breaks } from './finding.ts'
import type { Definition } from './definition.ts'
import { constraintBreaks } from './relevance.ts'
import { ARRAY } from './type-set.ts'

interface Count {
  min: number
  max: number
}

/**
 * Rules `arr.contains`, `arr.min-contains`, `arr.max-contains`. Fewer values match a narrower `contains`: that may leave too
 * few for the minimum, and lets more arrays pass the maximum.
 */
export function compareContains(pair: Pair): void {
  const from = pair.from.keywords['contains']
  const to = pair.to.keywords['contains']
  if (from === undefined && to === undefined) return
  const count = { from: countOf(pair.from), to: countOf(pair.to) }
  const inner = from === undefined || to === undefined ? NO_BREAKS : pair.compare(from, to).breaks
  const breaks = constraintBreaks(pair, ARRAY, {
    tighter: mayRefuse({ count: count.from, isLooked: from !== undefined }, { count: count.to, isLooked: to !== undefined }, inner),
    looser: mayRefuse({ count: count.to, isLooked: to !== undefined }, { count: count.from, isLooked: from !== undefined }, { producers: inner.consumers, consumers: inner.producers }),
  })
  if (from !== undefined && to !== undefined) pair.descendForNotes({ to: 'branch', keyword: 'contains' }, from, to)
  if (!breaksAnyone(breaks)) return
  if (from === undefined) return pair.report({ rule: 'arr.contains', breaks, says: 'must now contain certain items', to })
  if (to === undefined) return pair.report({ rule: 'arr.contains', breaks, says: 'no longer needs to contain certain items', from })
  if (breaksAnyone(inner)) return pair.report({ rule: 'arr.contains', breaks, says: 'what it must contain changed', from, to })
  const isMinimum = count.from.min !== count.to.min
  if (isMinimum) reportCount(pair, 'min', count)
  if (count.from.max !== count.to.max) reportCount(pair, 'max', count)
}

function reportCount(pair: Pair, which: 'min' | 'max', count: { from: Count; to: Count }): void {
  const rises = count.to[which] > count.from[which]
  const told = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined)
  pair.report({
    rule: `arr.${which}-contains`,
    breaks: constraintBreaks(pair, ARRAY, { tighter: rises === (which === 'min'), looser: rises !== (which === 'min') }),
    says: sayBound(`${which === 'min' ? 'minimum' : 'maximum'} number of items to contain`, told(count.from[which]), told(count.to[which])),
    from: told(count.from[which]),
    to: told(count.to[which]),
  })
}

function countOf({ keywords }: Definition): Count {
  return { min: Number(keywords['minContains'] ?? 1), max: Number(keywords['maxContains'] ?? Infinity) }
}

/** Whether an array can have enough matches, and not too many, for one side and not for the other. */
function mayRefuse(one: { count: Count; isLooked: boolean }, other: { count: Count; isLooked: boolean }, inner: Breaks): boolean {
  if (!other.isLooked) return false
  if (!one.isLooked) return true
  const keepsMinimum = other.count.min === 0 || (!inner.producers && other.count.min <= one.count.min)
  const keepsMaximum = other.count.max === Infinity || (!inner.consumers && one.count.max <= other.count.max)
  return !keepsMinimum || !keepsMaximum
}
