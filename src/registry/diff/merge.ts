import { canonicalText } from './canonical-text.ts'
import { jsonEqual } from './json-equal.ts'
import type { Definition } from './definition.ts'

// Keywords that only mean something together: one of a group on each side cannot be told apart after a merge.
const GROUPS: readonly (readonly string[])[] = [
  ['prefixItems', 'items'],
  ['contains', 'minContains', 'maxContains'],
  ['if', 'then', 'else'],
]

const TIGHTEST: ReadonlyMap<string, (one: number, other: number) => number> = new Map([
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'].map((name): [string, typeof Math.max] => [name, Math.max]),
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'].map((name): [string, typeof Math.min] => [name, Math.min]),
])

/**
 * Writes two definitions that a value must both keep to as one.
 * @returns `undefined` where one definition cannot say it, such as two patterns
 */
export function mergeDefinitions(one: Definition, other: Definition): Definition | undefined {
  const keywords = saysNothing(one) ? other.keywords : mergeKeywords(one, other)
  if (keywords === undefined) return undefined
  const declared = one.declared & other.declared
  return {
    source: one.source,
    declared,
    possible: declared,
    values: commonValues(one.values, other.values),
    properties: mergeProperties(one.properties, other.properties),
    required: new Set([...one.required, ...other.required]),
    keywords,
    conjuncts: [...one.conjuncts, ...other.conjuncts],
    powerless: { ...one.powerless, ...other.powerless },
    annotations: { ...other.annotations, ...one.annotations },
  }
}

function saysNothing(definition: Definition): boolean {
  return Object.keys(definition.keywords).length === 0 && Object.keys(definition.properties).length === 0 && definition.conjuncts.length === 0
}

function mergeKeywords(one: Definition, other: Definition): Record<string, unknown> | undefined {
  // What other calls unevaluated depends on what stands beside it.
  if ('unevaluatedProperties' in other.keywords || 'unevaluatedItems' in other.keywords) return undefined
  if (dividesNames(one) ? namesAny(other) : dividesNames(other) && namesAny(one)) return undefined
  for (const group of GROUPS) if (group.some((name) => name in one.keywords) && group.some((name) => name in other.keywords)) return undefined
  const merged: Record<string, unknown> = { ...one.keywords }
  for (const [name, value] of Object.entries(other.keywords)) {
    const before = merged[name]
    const tightest = TIGHTEST.get(name)
    if (before === undefined || jsonEqual(before, value)) merged[name] = value
    else if (tightest && typeof before === 'number' && typeof value === 'number') merged[name] = tightest(before, value)
    else return undefined
  }
  return merged
}

/** Whether a definition treats the names that it does not list in a way of its own. */
function dividesNames({ keywords }: Definition): boolean {
  return 'additionalProperties' in keywords || 'patternProperties' in keywords
}

function namesAny(definition: Definition): boolean {
  return Object.keys(definition.properties).length > 0 || dividesNames(definition)
}

function mergeProperties(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...one }
  for (const [name, definition] of Object.entries(other)) {
    merged[name] = Object.hasOwn(merged, name) ? { allOf: [merged[name], definition] } : definition
  }
  return merged
}

function commonValues(one: readonly unknown[] | undefined, other: readonly unknown[] | undefined): readonly unknown[] | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const texts = new Set(other.map(canonicalText))
  return one.filter((value) => texts.has(canonicalText(value)))
}
