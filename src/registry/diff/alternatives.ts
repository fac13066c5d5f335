import type { Pair } from './comparison.ts'
import { areDisjoint, isDisjoint } from './disjoint.ts'
import { breaksAnyone } from './finding.ts'
import { matchMembers } from './matching.ts'
import type { Definition } from './definition.ts'
import type { Normaliser } from './normal-form.ts'
import { ANY_TYPE, NO_TYPE } from './type-set.ts'
import type { TypeSet } from './type-set.ts'

type Keyword = 'anyOf' | 'oneOf'

/** One side's alternatives. */
interface Alternatives {
  keyword: Keyword
  members: readonly unknown[]
  /** Whether a value that matches two of them is refused, and such a value may exist: else `oneOf` means what `anyOf` does. */
  isExclusive: boolean
  side: Normaliser
}

/** Rules `comb.any-of`, `comb.one-of-*`, `comb.any-to-one`, `comb.one-to-any`. */
export function compareAlternatives(pair: Pair): void {
  const keyword = { from: onlyKeyword(pair.from), to: onlyKeyword(pair.to) }
  if (keyword.from && keyword.to && keyword.from !== keyword.to) {
    const from = alternativesOf(pair.from, keyword.from, pair.sides.from)
    const to = alternativesOf(pair.to, keyword.to, pair.sides.to)
    reportConversion(pair, from, to)
    return compareMembers(pair, from, to)
  }
  for (const name of ['anyOf', 'oneOf'] as const) {
    const from = name in pair.from.keywords ? alternativesOf(pair.from, name, pair.sides.from) : undefined
    const to = name in pair.to.keywords ? alternativesOf(pair.to, name, pair.sides.to) : undefined
    if (from && to) compareMembers(pair, from, to)
    else if (to) reportNewChoice(pair, to)
    else if (from) reportLostChoice(pair, from)
  }
}

/**
 * Compares as alternatives what only one side writes so: a definition is its own only alternative, and became one of several.
 * @returns whether it did
 */
export function compareAsAlternatives(pair: Pair): boolean {
  const keyword = { from: onlyAlternatives(pair.from), to: onlyAlternatives(pair.to) }
  const only = keyword.from ?? keyword.to
  if (only === undefined || (keyword.from && keyword.to)) return false
  const single = keyword.from ? pair.to : pair.from
  if (onlyKeyword(single) || saysNothing(single) || single.possible === 0) return false
  const asOne = (definition: Definition, side: Normaliser): Alternatives => ({ keyword: only, members: [definition.source], isExclusive: false, side })
  const from = keyword.from ? alternativesOf(pair.from, only, pair.sides.from) : asOne(pair.from, pair.sides.from)
  const to = keyword.to ? alternativesOf(pair.to, only, pair.sides.to) : asOne(pair.to, pair.sides.to)
  compareMembers(pair, from, to)
  return true
}

function compareMembers(pair: Pair, from: Alternatives, to: Alternatives): void {
  const { pairs, removed, added } = matchMembers(pair, from.members, to.members)
  for (const match of pairs) compareMember(pair, from, to, match)
  for (const index of removed) {
    const member = from.members[index]
    const isCovered = !to.isExclusive && to.members.some((other) => !pair.compare(member, other).breaks.producers)
    const breaks = { producers: !isCovered, consumers: from.isExclusive && mayOverlap(from, index) }
    const rule = to.keyword === 'oneOf' ? 'comb.one-of-removed' : 'comb.any-of'
    pair.report({ rule, breaks, says: `${from.keyword} alternative ${index} removed`, from: member })
  }
  for (const index of added) {
    const member = to.members[index]
    const isCovered = !from.isExclusive && from.members.some((other) => !pair.compare(other, member).breaks.consumers)
    const breaks = { producers: to.isExclusive && mayOverlap(to, index), consumers: !isCovered }
    const rule = to.keyword === 'oneOf' ? 'comb.one-of-added' : 'comb.any-of'
    pair.report({ rule, breaks, says: `${to.keyword} alternative ${index} added`, to: member })
  }
}

function compareMember(pair: Pair, from: Alternatives, to: Alternatives, match: { from: number; to: number }): void {
  const step = { to: 'branch', keyword: to.keyword, key: match.to } as const
  const [before, after] = [from.members[match.from], to.members[match.to]]
  if (!from.isExclusive && !to.isExclusive) {
    pair.descend(step, before, after)
    return
  }
  // One that got wider may now match beside another, and one that got narrower may leave another alone.
  const inner = pair.compare(before, after).breaks
  const breaks = {
    producers: inner.producers || (to.isExclusive && inner.consumers),
    consumers: inner.consumers || (from.isExclusive && inner.producers),
  }
  pair.descendForNotes(step, before, after)
  if (breaksAnyone(breaks)) pair.report({ rule: 'comb.one-of-changed', breaks, says: `oneOf alternative ${match.to} changed`, from: before, to: after })
}

function reportConversion(pair: Pair, from: Alternatives, to: Alternatives): void {
  const [rule, breaks] =
    to.keyword === 'oneOf' ? (['comb.any-to-one', { producers: to.isExclusive }] as const) : (['comb.one-to-any', { consumers: from.isExclusive }] as const)
  pair.report({ rule, breaks, says: `${from.keyword} became ${to.keyword}`, from: from.keyword, to: to.keyword })
}

function reportNewChoice(pair: Pair, to: Alternatives): void {
  const isImplied = !to.isExclusive && (coverTypes(to, pair.from.possible) || to.members.some((member) => !pair.compare(pair.from.source, member).breaks.producers))
  const rule = to.keyword === 'oneOf' ? 'comb.one-of-added' : 'comb.any-of'
  pair.report({ rule, breaks: { producers: !isImplied }, says: `must now match one of ${to.members.length} alternatives (${to.keyword} added)`, to: to.members })
}

function reportLostChoice(pair: Pair, from: Alternatives): void {
  const isImplied = !from.isExclusive && (coverTypes(from, pair.to.possible) || from.members.some((member) => !pair.compare(member, pair.to.source).breaks.consumers))
  const rule = from.keyword === 'oneOf' ? 'comb.one-of-removed' : 'comb.any-of'
  pair.report({ rule, breaks: { consumers: !isImplied }, says: `no longer needs to match one of ${from.members.length} alternatives (${from.keyword} removed)`, from: from.members })
}

function alternativesOf({ keywords }: Definition, keyword: Keyword, side: Normaliser): Alternatives {
  const members = Array.isArray(keywords[keyword]) ? keywords[keyword] : []
  return { keyword, members, isExclusive: keyword === 'oneOf' && !areDisjoint(side, members), side }
}

/** Whether the alternatives that refuse by type alone let every one of the types through. */
function coverTypes({ members, side }: Alternatives, types: TypeSet): boolean {
  const definitions = members.map((member) => side.normalise(member))
  const allowed = definitions.filter((definition) => saysNothing({ ...definition, declared: ANY_TYPE })).map(({ declared }) => declared)
  return allowed.reduce((left, declared) => left & ~declared, types) === NO_TYPE
}

function mayOverlap({ members, side }: Alternatives, index: number): boolean {
  return members.some((other, place) => place !== index && !isDisjoint(side, members[index], other))
}

/** `anyOf` or `oneOf`, when a definition has one and not the other. */
function onlyKeyword({ keywords }: Definition): Keyword | undefined {
  const has = { any: 'anyOf' in keywords, one: 'oneOf' in keywords }
  if (has.any === has.one) return undefined
  return has.any ? 'anyOf' : 'oneOf'
}

function onlyAlternatives(definition: Definition): Keyword | undefined {
  const keyword = onlyKeyword(definition)
  return keyword && Object.keys(definition.keywords).length === 1 && saysNothingBesideKeywords(definition) ? keyword : undefined
}

function saysNothing(definition: Definition): boolean {
  return Object.keys(definition.keywords).length === 0 && saysNothingBesideKeywords(definition)
}

function saysNothingBesideKeywords({ declared, values, properties, required, conjuncts }: Definition): boolean {
  return declared === ANY_TYPE && values === undefined && Object.keys(properties).length === 0 && required.size === 0 && conjuncts.length === 0
}
