import { pointerStep } from '../plain-json.ts'

/** A schema as it stands in a document; `true` and `false` are schemas as well, hence `unknown` wherever one is nested. */
export type JsonSchema = Record<string, unknown>

type Holds = 'schema' | 'list' | 'map'

// JSON Schema 2020-12, core section 10 and `contentSchema`; `definitions` is the older name of `$defs` that its meta-schema still knows.
const HOLDERS: ReadonlyMap<string, Holds> = new Map<string, Holds>([
  ...['not', 'if', 'then', 'else'].map(holds('schema')),
  ...['items', 'contains', 'additionalProperties', 'propertyNames'].map(holds('schema')),
  ...['unevaluatedItems', 'unevaluatedProperties', 'contentSchema'].map(holds('schema')),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map(holds('list')),
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'].map(holds('map')),
])

const IN_PLACE: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'])
const NAMED_ONLY: ReadonlySet<string> = new Set(['$defs', 'definitions', 'contentSchema'])

/** One schema directly inside another. */
export interface Subschema {
  keyword: string
  /** Its place under the keyword: a name in a map, an index in a list, nothing for a keyword that holds one schema. */
  key: string | number | undefined
  /** JSON pointer from the outer schema. */
  path: string
  schema: unknown
  /** What it judges: the same value as the outer schema, a part of that value, or nothing until a `$ref` names it. */
  judges: 'same' | 'part' | 'nothing'
}

/** Whether a value found where a schema is expected is one that holds keywords. */
export function isSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Lists the schemas directly inside one, by position rather than by key: a property that is named `properties` or `items`
 * is not mistaken for the keyword. Values of a wrong shape are passed over; judging them is the meta-schema's work.
 */
export function subschemas(schema: JsonSchema): Subschema[] {
  const found: Subschema[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    const shape = HOLDERS.get(keyword)
    if (shape === undefined) continue
    const add = (key: string | number | undefined, inner: unknown): void => {
      const path = pointerStep(keyword) + (key === undefined ? '' : pointerStep(key))
      found.push({ keyword, key, path, schema: inner, judges: judgedBy(keyword) })
    }
    if (shape === 'schema') add(undefined, value)
    else if (shape === 'list' && Array.isArray(value)) value.forEach((inner, index) => add(index, inner))
    else if (shape === 'map' && isSchemaObject(value)) for (const [name, inner] of Object.entries(value)) add(name, inner)
  }
  return found
}

/** Copies a schema with every schema directly inside it replaced by what `convert` makes of it. */
export function mapSubschemas(schema: JsonSchema, convert: (inner: unknown) => unknown): JsonSchema {
  const copy: JsonSchema = {}
  for (const [keyword, value] of Object.entries(schema)) copy[keyword] = convertHeld(HOLDERS.get(keyword), value, convert)
  return copy
}

function convertHeld(shape: Holds | undefined, value: unknown, convert: (inner: unknown) => unknown): unknown {
  if (shape === 'schema') return convert(value)
  if (shape === 'list' && Array.isArray(value)) return value.map(convert)
  if (shape === 'map' && isSchemaObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, convert(inner)]))
  }
  return value
}

function judgedBy(keyword: string): Subschema['judges'] {
  if (IN_PLACE.has(keyword)) return 'same'
  return NAMED_ONLY.has(keyword) ? 'nothing' : 'part'
}

function holds(shape: Holds): (keyword: string) => [string, Holds] {
  return (keyword) => [keyword, shape]
}
