import { canonicalText } from './canonical-text.ts'
import type { Pair } from './comparison.ts'
import { breaksAnyone } from './finding.ts'
import type { Outcome } from './finding.ts'

/** Members of a combinator on both sides, paired with their likeliest counterparts; by index in their lists. */
export interface Matching {
  pairs: { from: number; to: number }[]
  removed: number[]
  added: number[]
}

// Beyond this many comparisons only members that are written alike are paired: 40 against 40 nested ones would take seconds.
const MAX_COMPARISONS = 400
const NOT_ALIKE = 1_000

/**
 * Pairs members so that as little as possible is left different, since their order means nothing. Members without a type in
 * common are no counterparts.
 */
export function matchMembers(pair: Pair, from: readonly unknown[], to: readonly unknown[]): Matching {
  const pairs = pairsWrittenAlike(from, to)
  const left = {
    from: indexes(from).filter((index) => !pairs.some((found) => found.from === index)),
    to: indexes(to).filter((index) => !pairs.some((found) => found.to === index)),
  }
  if (left.from.length * left.to.length <= MAX_COMPARISONS) pairs.push(...cheapestPairs(left.from, left.to, (one, other) => difference(pair.compare(from[one], to[other]))))
  return {
    pairs,
    removed: indexes(from).filter((index) => !pairs.some((found) => found.from === index)),
    added: indexes(to).filter((index) => !pairs.some((found) => found.to === index)),
  }
}

function pairsWrittenAlike(from: readonly unknown[], to: readonly unknown[]): { from: number; to: number }[] {
  const places = Map.groupBy(indexes(to), (index) => canonicalText(to[index]))
  return indexes(from).flatMap((index) => {
    const counterpart = places.get(canonicalText(from[index]))?.shift()
    return counterpart === undefined ? [] : [{ from: index, to: counterpart }]
  })
}

function difference({ findings }: Outcome): number {
  if (findings.some(({ rule, at }) => rule === 'type.changed' && at.length === 0)) return NOT_ALIKE
  return findings.reduce((sum, finding) => sum + (breaksAnyone(finding.breaks) ? 3 : 1), 0)
}

/** Picks the cheapest pair of all, then the cheapest of those left, and so on; exact for what people write, and never slow. */
function cheapestPairs(from: readonly number[], to: readonly number[], cost: (from: number, to: number) => number): { from: number; to: number }[] {
  const candidates = from.flatMap((one) => to.map((other) => ({ from: one, to: other, cost: cost(one, other) })))
  candidates.sort((one, other) => one.cost - other.cost || one.from - other.from || one.to - other.to)
  const chosen: { from: number; to: number }[] = []
  for (const candidate of candidates) {
    if (candidate.cost >= NOT_ALIKE) break
    if (!chosen.some((taken) => taken.from === candidate.from || taken.to === candidate.to)) chosen.push({ from: candidate.from, to: candidate.to })
  }
  return chosen
}

function indexes(list: readonly unknown[]): number[] {
  return list.map((_, index) => index)
}
