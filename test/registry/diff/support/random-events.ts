import type { EventSpec } from '../../../../src/registry/event-spec.ts'
import { resolveRef } from '../../../../src/registry/local-ref.ts'
import { isSchemaObject } from '../../../../src/registry/subschemas.ts'
import type { JsonSchema } from '../../../../src/registry/subschemas.ts'
import type { Random } from './random.ts'
import { NAMES, VALUES } from './random-specs.ts'

const TEXTS = ['', 'a', 'b', 'ab', 'aa', 'aab', 'aaaa', 'x-1', '1', '2024-02-29', 'a@example.com', '192.0.2.1'] as const
const MAX_DEPTH = 6

/**
 * A random payload that follows a spec, with values at and beside its limits, and now and then a value from nowhere. It knows
 * nothing of the diff or of its search for witnesses.
 */
export function randomPayload(random: Random, spec: EventSpec): Record<string, unknown> {
  const root: JsonSchema = { type: 'object', properties: spec.properties ?? {}, $defs: spec['$defs'] }
  return objectFor(random, root, root, 0)
}

/** Random context attributes; senders can send nothing but an object. */
export function randomAttributes(random: Random, spec: EventSpec): Record<string, unknown> {
  const root: JsonSchema = { type: 'object', properties: spec.context_properties ?? {}, $defs: spec['$defs'] }
  return objectFor(random, root, root, 0)
}

function valueFor(random: Random, root: JsonSchema, schema: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH || random.chance(0.08)) return anyValue(random)
  if (!isSchemaObject(schema)) return anyValue(random)
  if ('$ref' in schema && random.chance(0.9)) return valueFor(random, root, resolveRef(root, schema['$ref']), depth + 1)
  const branches = ['anyOf', 'oneOf', 'allOf', 'if', 'then', 'else', 'not'].flatMap((keyword) => schema[keyword] ?? [])
  if (branches.length > 0 && random.chance(0.6)) return valueFor(random, root, overlay(schema, random.pick(branches)), depth + 1)
  if (Array.isArray(schema['enum']) && random.chance(0.8)) return random.pick(schema['enum'])
  if ('const' in schema && random.chance(0.8)) return schema['const']
  return valueOfType(random, root, schema, depth)
}

/** A branch with what the definition around it says as well. */
function overlay(schema: JsonSchema, branch: unknown): JsonSchema {
  const { anyOf: _any, oneOf: _one, allOf: _all, if: _if, then: _then, else: _else, not: _not, ...rest } = schema
  const inner = isSchemaObject(branch) ? branch : {}
  const properties = { ...(rest['properties'] as object | undefined), ...(inner['properties'] as object | undefined) }
  return { ...rest, ...inner, ...(Object.keys(properties).length > 0 ? { properties } : {}) }
}

function valueOfType(random: Random, root: JsonSchema, schema: JsonSchema, depth: number): unknown {
  const types = [schema['type'] ?? guessTypes(schema)].flat()
  switch (random.pick(types)) {
    case 'string':
      return textFor(random, schema)
    case 'integer':
      return Math.round(numberFor(random, schema))
    case 'number':
      return numberFor(random, schema)
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    case 'object':
      return objectFor(random, root, schema, depth)
    case 'array':
      return arrayFor(random, root, schema, depth)
    default:
      return anyValue(random)
  }
}

function guessTypes(schema: JsonSchema): string[] {
  const names = Object.keys(schema).join(' ')
  const guesses: string[] = ['any']
  if (/ropert|required|dependent/.test(names)) guesses.push('object', 'object')
  if (/tems|ontains/.test(names)) guesses.push('array', 'array')
  if (/Length|pattern|format/.test(names)) guesses.push('string', 'string')
  if (/imum|multiple/.test(names)) guesses.push('number', 'number')
  return guesses
}

function textFor(random: Random, schema: JsonSchema): string {
  const lengths = ['minLength', 'maxLength'].map((keyword) => schema[keyword]).filter((length) => typeof length === 'number')
  if (lengths.length > 0 && random.chance(0.5)) return random.pick(['a', 'b', 'ab']).repeat(9).slice(0, Math.max(0, random.pick(lengths) + random.below(3) - 1))
  return random.pick(TEXTS)
}

function numberFor(random: Random, schema: JsonSchema): number {
  const edges = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((keyword) => schema[keyword]).filter((edge) => typeof edge === 'number')
  const step = schema['multipleOf']
  if (typeof step === 'number' && random.chance(0.6)) return step * (random.below(9) - 1)
  if (edges.length > 0 && random.chance(0.7)) return random.pick(edges) + random.pick([0, 0, 1, -1, 0.5, -0.5])
  return random.pick([0, 1, 2, 3, 4, 5, 6, 1.5, 0.5, -1, 30])
}

function objectFor(random: Random, root: JsonSchema, schema: JsonSchema, depth: number): Record<string, unknown> {
  const value: Record<string, unknown> = {}
  const properties = isSchemaObject(schema['properties']) ? schema['properties'] : {}
  const hurry = depth > 2 ? 0.5 : 0.75
  for (const [name, definition] of Object.entries(properties)) {
    const isRequired = (isSchemaObject(definition) && definition['required'] === true) || (Array.isArray(schema['required']) && schema['required'].includes(name))
    if (random.chance(isRequired ? 0.92 : hurry)) value[name] = valueFor(random, root, definition, depth + 1)
  }
  for (const name of Array.isArray(schema['required']) ? schema['required'] : []) if (random.chance(0.9)) value[String(name)] ??= anyValue(random)
  if (random.chance(0.25)) {
    const name = random.pick([...NAMES, 'x-1', 'abb', '1', 'zz'])
    const others = [schema['additionalProperties'], schema['unevaluatedProperties'], ...Object.values((schema['patternProperties'] as object | undefined) ?? {})].filter(isSchemaObject)
    value[name] ??= others.length > 0 && random.chance(0.7) ? valueFor(random, root, random.pick(others), depth + 1) : anyValue(random)
  }
  return value
}

function arrayFor(random: Random, root: JsonSchema, schema: JsonSchema, depth: number): unknown[] {
  const positions = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : []
  const bounds = ['minItems', 'maxItems'].map((keyword) => schema[keyword]).filter((bound) => typeof bound === 'number')
  const length = bounds.length > 0 && random.chance(0.7) ? Math.max(0, random.pick(bounds) + random.below(3) - 1) : random.below(4)
  const array = Array.from({ length }, (_, index) => {
    if (index < positions.length && random.chance(0.9)) return valueFor(random, root, positions[index], depth + 1)
    const others = [schema['items'], schema['contains'], schema['unevaluatedItems']].filter(isSchemaObject)
    return others.length > 0 ? valueFor(random, root, random.pick(others), depth + 1) : anyValue(random)
  })
  return array.length > 1 && random.chance(0.2) ? array.with(-1, array[0]) : array
}

function anyValue(random: Random): unknown {
  return random.chance(0.5) ? random.pick(VALUES) : random.pick<unknown>([...TEXTS, 3, 4, 5, { b: 'a' }, { a: 'a', b: 1 }, [1, 2], ['a', 'a'], [null]])
}
