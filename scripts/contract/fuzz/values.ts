import fc from 'fast-check'
import type { Published, Schema } from './published.ts'

/** The keys that JSON can spell and no request may have. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype'])
// Longer lists and texts find nothing more and take their time.
const LIST_LENGTH = 3
const TEXT_LENGTH = 40

const key = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_. -]{0,12}$/).filter((name) => !RESERVED.has(name))
const text = (minLength: number, maxLength: number) => fc.string({ unit: 'grapheme', minLength, maxLength })
const free = fc.jsonValue({ maxDepth: 3 }).map(withoutReserved)

/** Values that a schema of the document allows; often its own examples, since those name what exists. */
export function valuesOf(published: Published, given: Schema): fc.Arbitrary<unknown> {
  const schema = published.resolve(given)
  const made = madeFrom(published, schema)
  const wide = schema.nullable ? fc.oneof({ weight: 9, arbitrary: made }, { weight: 1, arbitrary: fc.constant(null) }) : made
  if (schema.example === undefined) return wide
  // Many texts have a form that the contract tells in words only.
  const isWordy = schema.type === 'string' && schema.pattern === undefined && schema.enum === undefined
  return fc.oneof({ weight: isWordy ? 1 : 3, arbitrary: wide }, { weight: 4, arbitrary: fc.constant(schema.example) })
}

function madeFrom(published: Published, schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map((choice) => valuesOf(published, choice)))
  if (schema.allOf) return fc.tuple(...schema.allOf.map((part) => valuesOf(published, part))).map((parts) => Object.assign({}, ...(parts as object[])) as object)
  switch (schema.type) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: Math.max(schema.minimum ?? -1000, Number.MIN_SAFE_INTEGER), max: Math.min(schema.maximum ?? 1_000_000, Number.MAX_SAFE_INTEGER) })
    case 'number':
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true, noDefaultInfinity: true })
    case 'string':
      return textsOf(schema)
    case 'array':
      return fc.array(valuesOf(published, schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? LIST_LENGTH, LIST_LENGTH) })
    case 'object':
      return objectsOf(published, schema)
    default:
      return free
  }
}

function textsOf({ pattern, format, minLength = 0, maxLength = TEXT_LENGTH }: Schema): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u')).filter((made) => made.length <= maxLength || maxLength === TEXT_LENGTH)
  if (format === 'date-time') return fc.date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true }).map((date) => date.toISOString())
  // The contract counts characters as JSON Schema does: by code point.
  return text(minLength, Math.max(minLength, Math.min(maxLength, TEXT_LENGTH))).filter((made) => [...made].length <= maxLength && [...made].length >= minLength)
}

function objectsOf(published: Published, { properties = {}, required = [], additionalProperties, maxProperties }: Schema): fc.Arbitrary<object> {
  const named = fc.record(Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, valuesOf(published, property)])), { requiredKeys: required })
  if (additionalProperties === false) return named
  const others = fc.dictionary(key, typeof additionalProperties === 'object' ? valuesOf(published, additionalProperties) : free, { maxKeys: Math.min(maxProperties ?? LIST_LENGTH, LIST_LENGTH), noNullPrototype: true })
  return fc.tuple(others, named).map(([more, own]) => ({ ...Object.fromEntries(Object.entries(more).filter(([name]) => !(name in properties))), ...own }))
}

function withoutReserved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReserved)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !RESERVED.has(name)).map(([name, child]) => [name, withoutReserved(child)]))
}
