import fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import document from '../../src/contract/document.json' with { type: 'json' }

interface Schema {
  $ref?: string
  type?: string
  nullable?: boolean
  enum?: string[]
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  oneOf?: Schema[]
}

// One value in so many is of no or another shape than the schema says: seldom enough that both verdicts come often.
const ONE_WRONG_IN = 20
const anything = fc.oneof(fc.constantFrom<unknown>(null, true, 0, 1.5, -1, '', ' ', 'text', [], {}, [null], { type: 'track' }), fc.jsonValue({ maxDepth: 2 }))
// A letter of two UTF-16 units counts once in a schema and twice in JavaScript.
const letters = fc.constantFrom('a', 'é', '✓', '😀', ' ', '"')

/** Bodies for a schema of the contract: most keep to it, the others miss it in one place or several. */
export function bodiesOf(name: string): Arbitrary<unknown> {
  return objectOf(resolved({ $ref: `#/components/schemas/${name}` }))
}

function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').pop()
  return name === undefined ? schema : ((document.components.schemas as unknown as Record<string, Schema>)[name] as Schema)
}

function near(given: Schema): Arbitrary<unknown> {
  const schema = resolved(given)
  return fc.oneof({ weight: ONE_WRONG_IN, arbitrary: keeping(schema) }, { weight: 1, arbitrary: anything }, ...(schema.nullable ? [{ weight: 4, arbitrary: fc.constant(null) }] : []))
}

function keeping(schema: Schema): Arbitrary<unknown> {
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map((branch) => near(branch)))
  if (schema.enum) return fc.oneof({ weight: ONE_WRONG_IN, arbitrary: fc.constantFrom(...schema.enum) }, { weight: 1, arbitrary: fc.constantFrom('screen', '', 'TRACK') })
  if (schema.type === 'array') return fc.array(near(schema.items as Schema), { minLength: schema.minItems ?? 0, maxLength: 4 })
  if (schema.type === 'string') return textOf(schema)
  return objectOf(schema)
}

function objectOf({ properties = {}, required = [] }: Schema): Arbitrary<unknown> {
  const known = Object.entries(properties).map(([name, schema]): [string, Arbitrary<unknown>] => [
    name,
    required.includes(name) ? fc.option(near(schema), { nil: undefined, freq: ONE_WRONG_IN }) : fc.option(near(schema), { nil: undefined, freq: 1 }),
  ])
  const extra = fc.dictionary(fc.constantFrom('channel', 'integrations', 'type', 'version', 'toString'), anything, { maxKeys: 2 })
  // What a JSON text can hold: a key without a value is not there.
  return fc.tuple(extra, fc.record(Object.fromEntries(known))).map(([more, fields]) => JSON.parse(JSON.stringify({ ...more, ...fields })) as unknown)
}

function textOf({ minLength = 0, maxLength = 50 }: Schema): Arbitrary<string> {
  const lengths = fc.oneof({ weight: ONE_WRONG_IN, arbitrary: fc.integer({ min: Math.max(minLength, 1), max: Math.min(maxLength, 20) }) }, { weight: 2, arbitrary: fc.constantFrom(0, minLength, maxLength, maxLength + 1) })
  return fc.tuple(letters, lengths).map(([letter, length]) => letter.repeat(length))
}
