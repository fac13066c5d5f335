import type { Claim } from './claim.ts'
import type { Pair } from './comparison.ts'
import { matchesPattern, shapeOf } from './object-shape.ts'
import type { ObjectShape } from './object-shape.ts'
import { refusesNothing } from './annotation-keywords.ts'
import { breaksAnyone, reversed } from './finding.ts'
import type { Breaks } from './finding.ts'
import { show } from './show.ts'

/** Rules for properties that are not listed: `obj.closed`, `obj.opened`, `obj.additional-properties`, `obj.pattern-properties`. */
export function compareOtherProperties(pair: Pair): void {
  const from = shapeOf(pair.from)
  const to = shapeOf(pair.to)
  comparePatterns(pair, from, to)
  compareOthers(pair, from.others, to.others)
}

function compareOthers(pair: Pair, from: unknown, to: unknown): void {
  if (isDefinition(from) && isDefinition(to)) {
    pair.descend({ to: 'other' }, from, to)
    return
  }
  const { breaks } = pair.compare(from, to)
  if (!breaksAnyone(breaks)) return
  const rule: Claim['rule'] = to === false ? 'obj.closed' : from === false ? 'obj.opened' : 'obj.additional-properties'
  pair.report({ rule, breaks, says: sayOthers(from, to), from, to })
}

function isDefinition(others: unknown): boolean {
  return others !== false && !refusesNothing(others)
}

function sayOthers(from: unknown, to: unknown): string {
  if (to === false) return 'no longer allows additional properties'
  if (from === false) return 'now allows additional properties'
  return refusesNothing(from) ? 'now restricts additional properties' : 'no longer restricts additional properties'
}

function comparePatterns(pair: Pair, from: ObjectShape, to: ObjectShape): void {
  for (const [pattern, definition] of Object.entries(to.patterns)) {
    if (Object.hasOwn(from.patterns, pattern)) {
      pair.descendAs('obj.pattern-properties', { to: 'matching', pattern }, from.patterns[pattern], definition)
      continue
    }
    const compare = (other: unknown): Breaks => pair.compare(other, definition).breaks
    const breaks = newPatternBreaks({ pattern, compare, listed: pair.from.properties, shape: from })
    pair.report({ rule: 'obj.pattern-properties', breaks, says: `pattern ${show(pattern)} for property names added`, to: definition })
  }
  for (const [pattern, definition] of Object.entries(from.patterns)) {
    if (Object.hasOwn(to.patterns, pattern)) continue
    const compare = (other: unknown): Breaks => reversed(pair.compare(definition, other).breaks)
    const breaks = reversed(newPatternBreaks({ pattern, compare, listed: pair.to.properties, shape: to }))
    pair.report({ rule: 'obj.pattern-properties', breaks, says: `pattern ${show(pattern)} for property names removed`, from: definition })
  }
}

interface NewPattern {
  pattern: string
  /** Compares a definition of the side without the pattern with that of the pattern. */
  compare: (other: unknown) => Breaks
  /** What the side without the pattern lists, and what it says about other names. */
  listed: Readonly<Record<string, unknown>>
  shape: ObjectShape
}

/** A pattern applies beside what is listed and beside other patterns, but in place of the rule for other names. */
function newPatternBreaks({ pattern, compare, listed, shape }: NewPattern): Breaks {
  const others = compare(shape.others)
  const meetsListed = Object.keys(listed).some((name) => matchesPattern(pattern, name) !== false && compare(listed[name]).producers)
  const meetsPattern = Object.values(shape.patterns).some((other) => compare(other).producers)
  return { producers: others.producers || meetsListed || meetsPattern, consumers: others.consumers }
}
