import type { EventSpec, PropertyDefinition } from '../../../../src/registry/event-spec.ts'
import type { Random } from './random.ts'

type Schema = PropertyDefinition | boolean

// Few names and small numbers, so that two random definitions meet each other often.
export const NAMES = ['a', 'b', 'c', 'ab'] as const
export const PATTERNS = ['^a', 'b$', '^[ab]+$', '^x-', '^a{1,3}$', '[0-9]'] as const
export const FORMATS = ['date', 'email', 'ipv4', 'int32', 'no-such-format'] as const
export const VALUES: readonly unknown[] = ['a', 'b', 'ab', '', 1, 2, 0, 1.5, true, false, null, {}, [], ['a'], { a: 1 }]
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const
const STEPS = [1, 2, 3, 0.5, 1.5, 6] as const

/** A random event spec that uses any keyword of JSON Schema 2020-12 that specs may use. */
export function randomSpec(random: Random): EventSpec {
  return {
    namespace: 'shop',
    name: 'thing_done',
    version: '1-0-0',
    status: 'active',
    type: 'track',
    event_name: 'thing_done',
    properties: randomMap(random, random.chance(0.7) ? 1 : 3, 3), // many would hide each other's faults
    ...(random.chance(0.4) ? { additional_properties: random.chance(0.3) } : {}),
    ...(random.chance(0.1) ? { context_properties: randomMap(random, 2, 1) } : {}),
    $defs: { one: randomSchema(random, 2, true), two: randomSchema(random, 1, true) },
  }
}

function randomMap(random: Random, most: number, depth: number): Record<string, PropertyDefinition> {
  const names = most === 1 ? [random.pick(NAMES)] : random.some(NAMES, most)
  return Object.fromEntries(names.map((name) => [name, markRequired(random, randomSchema(random, depth))])) as Record<string, PropertyDefinition>
}

function markRequired(random: Random, schema: Schema): Schema {
  return typeof schema === 'object' && random.chance(0.4) ? { ...schema, required: true } : schema
}

/** A random definition; `isShared` ones refer to no other, or only deeper in the value, so that every value can be judged. */
export function randomSchema(random: Random, depth: number, isShared = false): Schema {
  if (random.chance(0.03)) return random.chance(0.6)
  if (!isShared && random.chance(0.08)) return { $ref: random.pick(['#/$defs/one', '#/$defs/two']), ...(random.chance(0.2) ? randomKeyword(random, depth, isShared) : {}) }
  const schema: PropertyDefinition = {}
  if (random.chance(0.75)) schema['type'] = random.chance(0.8) ? random.pick(TYPES) : [...new Set([random.pick(TYPES), random.pick(TYPES)])]
  const count = random.below(3) + (random.chance(0.2) ? 2 : 0)
  for (let index = 0; index < count; index++) Object.assign(schema, randomKeyword(random, depth, isShared, schema['type']))
  return schema
}

/** One random keyword, mostly one that bears on the type. */
export function randomKeyword(random: Random, depth: number, isShared: boolean, type?: unknown): PropertyDefinition {
  const kinds: string[] = ['values', 'annotation']
  if (depth > 0) kinds.push('combinator', 'combinator')
  const types = random.chance(0.9) && type !== undefined ? [type].flat() : TYPES
  if (types.includes('string')) kinds.push('string', 'string')
  if (types.includes('number') || types.includes('integer')) kinds.push('number', 'number')
  if (depth > 0 && types.includes('object')) kinds.push('object', 'object', 'object')
  if (depth > 0 && types.includes('array')) kinds.push('array', 'array', 'array')
  return KEYWORDS[random.pick(kinds)]?.(random, depth, isShared) ?? {}
}

const KEYWORDS: Readonly<Record<string, (random: Random, depth: number, isShared: boolean) => PropertyDefinition>> = {
  values: (random) => (random.chance(0.3) ? { const: random.pick(VALUES) } : { enum: nonEmpty(random, random.some(VALUES, 5)) }),
  annotation: (random) => random.pick<PropertyDefinition>([{ description: 'about' }, { title: 'A' }, { default: 1 }, { pii: 'email' }, { aliases: ['c'] }, { deprecated: true }, { unit: 'EUR' }]),
  string: (random) =>
    random.pick<PropertyDefinition>([{ minLength: random.below(4) }, { maxLength: random.below(5) }, { pattern: random.pick(PATTERNS) }, { format: random.pick(FORMATS) }]),
  number: (random) =>
    random.pick<PropertyDefinition>([
      { minimum: random.below(5) - 1 },
      { maximum: random.below(6) },
      { exclusiveMinimum: random.below(5) - 1 },
      { exclusiveMaximum: random.below(6) },
      { multipleOf: random.pick(STEPS) },
      { minimum: random.below(9) / 2 },
    ]),
  object: randomObjectKeyword,
  array: randomArrayKeyword,
  combinator: randomCombinator,
}

function randomObjectKeyword(random: Random, depth: number, isShared: boolean): PropertyDefinition {
  const inner = (): Schema => randomInner(random, depth, isShared)
  const properties = (): PropertyDefinition => ({ properties: Object.fromEntries(random.some(NAMES, 3).map((name) => [name, markRequired(random, inner())])) })
  return random.pick<() => PropertyDefinition>([
    properties,
    properties,
    () => ({ ...properties(), additionalProperties: random.chance(0.6) ? false : inner() }),
    () => ({ ...properties(), unevaluatedProperties: random.chance(0.7) ? false : inner() }),
    () => ({ required: random.some(NAMES, 2) }),
    () => ({ minProperties: random.below(3) }),
    () => ({ maxProperties: random.below(4) }),
    () => ({ propertyNames: random.pick<Schema>([{ maxLength: 1 }, { pattern: '^a' }, { enum: ['a', 'b'] }, { minLength: 1 }, { maxLength: 2 }]) }),
    () => ({ patternProperties: { [random.pick(PATTERNS)]: inner() } }),
    () => ({ dependentRequired: { [random.pick(NAMES)]: random.some(NAMES, 2) } }),
    () => ({ dependentSchemas: { [random.pick(NAMES)]: inner() } }),
  ])()
}

function randomArrayKeyword(random: Random, depth: number, isShared: boolean): PropertyDefinition {
  const inner = (): Schema => randomInner(random, depth, isShared)
  return random.pick<() => PropertyDefinition>([
    () => ({ items: inner() }),
    () => ({ items: inner() }),
    () => ({ prefixItems: [inner(), ...(random.chance(0.5) ? [inner()] : [])] }),
    () => ({ prefixItems: [inner()], items: random.chance(0.5) ? false : inner() }),
    () => ({ minItems: random.below(4) }),
    () => ({ maxItems: random.below(4) }),
    () => ({ uniqueItems: true }),
    () => ({ contains: inner(), ...(random.chance(0.4) ? { minContains: random.below(3) } : {}), ...(random.chance(0.4) ? { maxContains: 1 + random.below(2) } : {}) }),
    () => ({ prefixItems: [inner()], unevaluatedItems: random.chance(0.6) ? false : inner() }),
  ])()
}

function randomCombinator(random: Random, depth: number, isShared: boolean): PropertyDefinition {
  const inner = (): Schema => randomSchema(random, depth - 1, isShared)
  const list = (): Schema[] => Array.from({ length: 1 + random.below(3) }, inner)
  return random.pick<() => PropertyDefinition>([
    () => ({ anyOf: list() }),
    () => ({ oneOf: list() }),
    () => ({ allOf: list() }),
    () => ({ not: inner() }),
    () => ({ if: inner(), then: inner(), ...(random.chance(0.5) ? { else: inner() } : {}) }),
    () => ({ if: inner(), else: inner() }),
  ])()
}

/** A definition of a part of the value: here a shared one may come back to itself. */
function randomInner(random: Random, depth: number, isShared: boolean): Schema {
  if (isShared && random.chance(0.15)) return { $ref: random.pick(['#/$defs/one', '#/$defs/two']) }
  return randomSchema(random, depth - 1, isShared)
}

function nonEmpty(random: Random, values: unknown[]): unknown[] {
  return values.length > 0 ? values : [random.pick(VALUES)]
}
