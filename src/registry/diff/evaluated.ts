import { isSchemaObject } from '../subschemas.ts'
import type { JsonSchema } from '../subschemas.ts'

/** What the keywords of a definition look at, as far as `unevaluatedProperties` and `unevaluatedItems` ask. */
export interface Evaluated {
  names: Set<string>
  patterns: Set<string>
  /** Whether every property is looked at, and every item. */
  allNames: boolean
  allItems: boolean
  /** How many items at the beginning are looked at. */
  positions: number
  /** False where it depends on the value, as under `anyOf` and `if`. */
  isCertain: boolean
}

// Keywords that look at parts of a value only when a definition inside them matches.
const DEPENDS_ON_VALUE: readonly string[] = ['anyOf', 'oneOf', 'if', 'dependentSchemas', 'dependencies', 'contains', '$dynamicRef', '$recursiveRef']

/** Collects what a definition looks at, its own `unevaluated…` keywords aside. */
export function evaluatedBy(source: JsonSchema, resolve: (ref: unknown) => unknown): Evaluated {
  const found: Evaluated = { names: new Set(), patterns: new Set(), allNames: false, allItems: false, positions: 0, isCertain: true }
  const open = new Set<JsonSchema>()
  visit(source, true)
  return found

  function visit(schema: unknown, isOutermost: boolean): void {
    if (!isSchemaObject(schema)) return
    if (open.has(schema) || DEPENDS_ON_VALUE.some((keyword) => keyword in schema)) {
      found.isCertain = false
      return
    }
    open.add(schema)
    for (const name of keysOf(schema['properties'])) found.names.add(name)
    for (const pattern of keysOf(schema['patternProperties'])) found.patterns.add(pattern)
    if (Array.isArray(schema['prefixItems'])) found.positions = Math.max(found.positions, schema['prefixItems'].length)
    if ('additionalProperties' in schema || (!isOutermost && 'unevaluatedProperties' in schema)) found.allNames = true
    if ('items' in schema || (!isOutermost && 'unevaluatedItems' in schema)) found.allItems = true
    if ('$ref' in schema) visit(resolve(schema['$ref']), false)
    if (Array.isArray(schema['allOf'])) for (const member of schema['allOf']) visit(member, false)
    open.delete(schema)
  }
}

function keysOf(map: unknown): string[] {
  return isSchemaObject(map) ? Object.keys(map) : []
}
