import type { ErrorDetail } from '../error.ts'
import { pointerStep } from '../plain-json.ts'
import type { UnversionedSpec } from './event-spec.ts'
import { compileSpec } from './compile.ts'
import { keywordFaults } from './check-keywords.ts'
import type { Definition } from './check-keywords.ts'
import { contextJsonSchema, toJsonSchema } from './json-schema.ts'
import { refSteps } from './local-ref.ts'
import { metaSchemaFaults } from './meta-schema.ts'
import { explainCostlySchema } from './schema-cost.ts'
import { isSchemaObject, subschemas } from './subschemas.ts'
import type { JsonSchema } from './subschemas.ts'

// Compiling takes 0.2 ms for each; a process that serves others must not stop for longer.
const MAX_DEFINITIONS = 2000

/** What is wrong with the definitions in `properties`, `context_properties` and `$defs`. */
export function definitionFaults(spec: UnversionedSpec): ErrorDetail[] {
  const definitions = (['properties', 'context_properties', '$defs'] as const).flatMap((part) => definitionsIn(spec, part))
  if (definitions.length > MAX_DEFINITIONS) {
    return [{ path: '/properties', message: `the spec holds ${definitions.length} definitions, nested ones included; at most ${MAX_DEFINITIONS} are allowed` }]
  }
  const faults = [...definitions.flatMap(keywordFaults), ...refFaults(definitions)]
  // The meta-schema's words for what is refused already would only repeat it.
  const isKnown = (path: string): boolean => faults.some((fault) => `${path}/`.startsWith(`${fault.path}/`))
  const further = standardSchemas(spec).flatMap(metaSchemaFaults).filter(({ path }) => !isKnown(path))
  return faults.length + further.length > 0 ? [...faults, ...further] : unusable(spec)
}

/** What every validator would accept and no event must meet: endless or exploding schemas, and what ajv cannot compile. */
function unusable(spec: UnversionedSpec): ErrorDetail[] {
  const costly = standardSchemas(spec).flatMap(({ part, schema }) => {
    const fault = explainCostlySchema(schema)
    return fault ? [{ ...fault, path: fault.path.replace(/^\/properties/, `/${part}`) }] : []
  })
  if (costly.length > 0) return costly
  try {
    compileSpec(spec)
    return []
  } catch (error) {
    return [{ path: '/properties', message: `the definitions cannot be compiled: ${(error as Error).message.slice(0, 200)}` }]
  }
}

/** The two standard schemas, whose definitions stand where they stand in the spec but for the name of the first step. */
function standardSchemas(spec: UnversionedSpec): { part: 'properties' | 'context_properties'; schema: JsonSchema }[] {
  // As a track call, so that the properties of an alias, which describe nothing, are checked as well.
  const payload = { part: 'properties' as const, schema: toJsonSchema({ ...spec, type: 'track' }) }
  const context = contextJsonSchema(spec)
  return context ? [payload, { part: 'context_properties', schema: context }] : [payload]
}

function definitionsIn(spec: UnversionedSpec, part: 'properties' | 'context_properties' | '$defs'): Definition[] {
  const map = isSchemaObject(spec[part]) ? spec[part] : {}
  const found: Definition[] = Object.entries(map).map(([name, schema]) => ({ path: `/${part}${pointerStep(name)}`, schema, isProperty: part !== '$defs' }))
  for (const { path, schema } of found) {
    if (!isSchemaObject(schema)) continue
    // The list grows while it is walked through, until no definition holds another one.
    for (const inner of subschemas(schema)) found.push({ path: path + inner.path, schema: inner.schema, isProperty: inner.keyword === 'properties' })
  }
  return found
}

function refFaults(definitions: Definition[]): ErrorDetail[] {
  const places = new Set(['', ...definitions.map(({ path }) => path)])
  return definitions.flatMap(({ path, schema }) => {
    const ref = isSchemaObject(schema) ? schema['$ref'] : undefined
    if (ref === undefined) return []
    const message = explainBadRef(ref, path.startsWith('/context_properties/'), places)
    return message === undefined ? [] : [{ path: `${path}/$ref`, message }]
  })
}

function explainBadRef(ref: unknown, isInContext: boolean, places: ReadonlySet<string>): string | undefined {
  const steps = typeof ref === 'string' ? refSteps(ref) : undefined
  if (!steps) return `must point into this spec, such as "#/$defs/money"; got ${JSON.stringify(ref).slice(0, 100)}`
  // Inside the context's own schema `#/properties` are the context's.
  const pointer = steps.map((step, index) => pointerStep(index === 0 && isInContext && step === 'properties' ? 'context_properties' : step)).join('')
  return places.has(pointer) ? undefined : `names no definition of this spec: there is none at ${pointer}`
}
