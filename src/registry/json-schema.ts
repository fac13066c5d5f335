import type { EventSpec, PropertyDefinition } from './event-spec.ts'
import { payloadPart } from './payload-part.ts'
import { isSchemaObject, mapSubschemas } from './subschemas.ts'
import type { JsonSchema } from './subschemas.ts'

export type { JsonSchema } from './subschemas.ts'

/** The dialect of every schema that this service writes. */
export const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

// Keywords of property definitions that only this registry reads.
const EXTENSIONS: ReadonlySet<string> = new Set(['pii', 'aliases'])

/** The parts of an event spec that its JSON Schemas are made of. */
export type SchemaSource = Pick<EventSpec, 'name' | 'type'> & Partial<EventSpec>

/**
 * Writes what an event's payload (`properties` or `traits`) must look like as one standard JSON Schema 2020-12 document,
 * for any validator: `required: true` of a property moves into its parent's `required` list, `pii` and `aliases` go.
 * A definition stands at the same JSON pointer in the result as in the spec, so `$ref`s such as `#/$defs/money` and
 * `#/properties/price` keep their meaning. An alias call has no payload, so its schema says nothing about properties.
 */
export function toJsonSchema(spec: SchemaSource): JsonSchema {
  const properties = payloadPart(spec.type) === undefined ? {} : (spec.properties ?? {})
  return {
    $schema: DIALECT,
    title: spec.display_name ?? spec.name,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    ...objectSchema(properties),
    additionalProperties: spec.additional_properties !== false,
    ...definitionsOf(spec),
  }
}

/**
 * As `toJsonSchema`, for `context.attributes`; always open, since every sender and the server itself add attributes.
 * Inside it `#/properties/...` means the context's own properties.
 * @returns `undefined` when the spec says nothing about the context
 */
export function contextJsonSchema(spec: SchemaSource): JsonSchema | undefined {
  if (spec.context_properties === undefined) return undefined
  return {
    $schema: DIALECT,
    title: `Context of ${spec.display_name ?? spec.name}`,
    ...objectSchema(spec.context_properties),
    additionalProperties: true,
    ...definitionsOf(spec),
  }
}

function objectSchema(properties: Record<string, PropertyDefinition>): JsonSchema {
  const standard = standardSchema({ type: 'object', properties }) as JsonSchema
  return { ...standard, required: standard['required'] ?? [] }
}

function definitionsOf(spec: SchemaSource): JsonSchema {
  return standardSchema('$defs' in spec ? { $defs: spec['$defs'] } : {}) as JsonSchema
}

/** Rewrites a definition, and all inside it, as a standard schema; what is no object (`true`, `false`) stays as it is. */
function standardSchema(definition: unknown): unknown {
  if (!isSchemaObject(definition)) return definition
  const schema = mapSubschemas(definition, standardSchema)
  for (const extension of EXTENSIONS) delete schema[extension]
  const listed = definition['required']
  if (typeof listed === 'boolean') delete schema['required']
  const marked = requiredProperties(definition['properties'])
  if (marked.length > 0) schema['required'] = [...new Set([...(Array.isArray(listed) ? listed : []), ...marked])]
  return schema
}

function requiredProperties(properties: unknown): string[] {
  if (!isSchemaObject(properties)) return []
  const isRequired = (definition: unknown): boolean => isSchemaObject(definition) && definition['required'] === true
  return Object.keys(properties).filter((name) => isRequired(properties[name]))
}
