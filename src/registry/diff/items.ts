import { refusesNothing } from './annotation-keywords.ts'
import type { Claim } from './claim.ts'
import type { Pair } from './comparison.ts'
import type { Definition } from './definition.ts'
import { breaksAnyone } from './finding.ts'
import { constraintBreaks } from './relevance.ts'
import { ARRAY } from './type-set.ts'

/**
 * Rules `arr.items`, `arr.prefix-items`, `arr.additional-items`: each position is compared with what the other side says about
 * the same position, be it in `prefixItems` or in `items`.
 */
export function compareItems(pair: Pair): void {
  if (((pair.from.possible & pair.to.possible) & ARRAY) === 0) return
  const positions = { from: positionsOf(pair.from), to: positionsOf(pair.to) }
  const shared = Math.min(positions.from.length, positions.to.length)
  for (let index = 0; index < shared; index++) pair.descend({ to: 'item', index }, positions.from[index], positions.to[index])
  const rest = { from: restOf(pair.from), to: restOf(pair.to) }
  for (let index = shared; index < positions.from.length; index++) reportPosition(pair, index, positions.from[index], rest.to)
  for (let index = shared; index < positions.to.length; index++) reportPosition(pair, index, rest.from, positions.to[index])
  compareRest(pair, rest.from, rest.to, positions.from.length > 0 || positions.to.length > 0)
}

function positionsOf({ keywords }: Definition): unknown[] {
  return Array.isArray(keywords['prefixItems']) ? keywords['prefixItems'] : []
}

function restOf({ keywords }: Definition): unknown {
  return 'items' in keywords ? keywords['items'] : true
}

/** A position that only one side lists: compared with the other side's `items`. */
function reportPosition(pair: Pair, index: number, from: unknown, to: unknown): void {
  const { breaks } = pair.compare(from, to)
  const isNew = index < positionsOf(pair.to).length
  pair.report({ rule: 'arr.prefix-items', breaks, says: isNew ? `item ${index} got a definition of its own` : `item ${index} lost its own definition`, ...(isNew ? { to } : { from }) })
}

function compareRest(pair: Pair, from: unknown, to: unknown, isAfterPositions: boolean): void {
  if (!refusesNothing(from) && !refusesNothing(to) && from !== false && to !== false) {
    pair.descend({ to: 'item', index: undefined }, from, to)
    return
  }
  const { breaks } = pair.compare(from, to)
  if (!breaksAnyone(breaks)) return
  const real = constraintBreaks(pair, ARRAY, { tighter: breaks.producers, looser: breaks.consumers })
  const rule: Claim['rule'] = isAfterPositions ? 'arr.additional-items' : 'arr.items'
  pair.report({ rule, breaks: real, says: sayRest(from, to), from, to })
}

function sayRest(from: unknown, to: unknown): string {
  if (to === false) return 'no longer allows items beyond those listed'
  if (from === false) return 'now allows items beyond those listed'
  return refusesNothing(from) ? 'items are now restricted' : 'items are no longer restricted'
}
