import type { Pair } from './comparison.ts'
import { matchMembers } from './matching.ts'

/** Rule `comb.all-of`: members of `allOf`, and references beside other keywords, that could not be merged into one definition. */
export function compareAllOf(pair: Pair): void {
  const from = pair.from.conjuncts
  const to = pair.to.conjuncts
  if (from.length === 0 && to.length === 0) return
  const { pairs, removed, added } = matchMembers(pair, from, to)
  for (const match of pairs) pair.descend({ to: 'branch', keyword: 'allOf', key: match.to }, from[match.from], to[match.to])
  for (const index of added) {
    // Not news if the rest of the definition before said as much.
    const breaks = { producers: pair.compare(pair.from.source, to[index]).breaks.producers }
    pair.report({ rule: 'comb.all-of', breaks, says: `allOf member ${index} added`, to: to[index] })
  }
  for (const index of removed) {
    const breaks = { consumers: pair.compare(from[index], pair.to.source).breaks.consumers }
    pair.report({ rule: 'comb.all-of', breaks, says: `allOf member ${index} removed`, from: from[index] })
  }
}
