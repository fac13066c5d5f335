import { isSchemaObject, mapSubschemas } from '../subschemas.ts'
import type { JsonSchema } from '../subschemas.ts'
import { isIdle } from './annotation-keywords.ts'
import { canonicalText } from './canonical-text.ts'
import { isAssertion } from './keyword-types.ts'
import type { Normaliser } from './normal-form.ts'

const STRUCTURAL: ReadonlySet<string> = new Set(['type', 'nullable', 'enum', 'const', 'properties', 'required', 'allOf', '$ref', 'dependencies'])
// Their order means nothing; that of `prefixItems` does.
const UNORDERED: readonly string[] = ['type', 'enum', 'required', 'anyOf', 'oneOf', 'allOf']
// References that multiply are not followed for ever.
const MAX_DEFINITIONS = 1_000

/**
 * Writes a definition as a text that is the same for equal forms: without what refuses nothing, references replaced by what they
 * name, or by how far up it stands when they come back to it.
 * @returns `undefined` when it is too large
 */
export function skeletonOf(source: unknown, side: Normaliser, leftOut: readonly string[]): string | undefined {
  let budget = MAX_DEFINITIONS
  const open: unknown[] = []
  const bare = strip(source, leftOut)
  return budget <= 0 ? undefined : canonicalText(bare)

  function strip(written: unknown, without: readonly string[]): unknown {
    const schema = side.target(written)
    if (!isSchemaObject(schema)) return schema
    if (open.includes(schema)) return { recursion: open.length - open.indexOf(schema) }
    if (budget-- <= 0) return true
    const kept: [string, unknown][] = Object.entries(schema).filter(([name, value]) => !without.includes(name) && (isAssertion(name) || STRUCTURAL.has(name)) && !isIdle(name, value) && !(name === 'required' && typeof value === 'boolean'))
    // What only describes a reference makes it no other one.
    if (kept.length === 1 && kept[0]?.[0] === '$ref' && Object.keys(schema).length > 1) return strip({ $ref: schema['$ref'] }, without)
    open.push(schema)
    const inner = mapSubschemas(Object.fromEntries(kept), (member) => strip(member, []))
    if ('$ref' in inner) inner['$ref'] = strip({ $ref: inner['$ref'] }, [])
    open.pop()
    return inOneSpelling(inner, schema['properties'])
  }
}

function inOneSpelling(schema: JsonSchema, properties: unknown): JsonSchema {
  const { const: constant, required, ...rest } = schema
  const copy: JsonSchema = { ...rest }
  if ('const' in schema) copy['enum'] = 'enum' in schema ? [...[schema['enum']].flat(), { and: constant }] : [constant]
  const marked = isSchemaObject(properties) ? Object.keys(properties).filter((name) => isSchemaObject(properties[name]) && properties[name]['required'] === true) : []
  const names = new Set([...(Array.isArray(required) ? required : []), ...marked])
  if (names.size > 0) copy['required'] = [...names]
  if (typeof copy['type'] === 'string') copy['type'] = [copy['type']]
  for (const keyword of UNORDERED) if (Array.isArray(copy[keyword])) copy[keyword] = copy[keyword].map(canonicalText).sort()
  return copy
}
