import type { EventSpec } from '../event-spec.ts'
import { resolveRef } from '../local-ref.ts'
import { isSchemaObject, subschemas } from '../subschemas.ts'
import type { JsonSchema } from '../subschemas.ts'
import type { Field } from './place.ts'

/**
 * The definitions of one side of a diff, standing where `json-schema.ts` puts them, so that local `$ref`s resolve alike.
 * Unlike there `pii`, `aliases` and boolean `required` are still in place.
 */
export interface SchemaDocument {
  root: JsonSchema
  resolve: (ref: unknown) => unknown
  /** Every definition in it, the root included; those that are `true` or `false` are left out. */
  readonly definitions: readonly JsonSchema[]
}

/** Builds the document of an event's properties, or of its context attributes, which are always open. */
export function schemaDocument(spec: EventSpec, field: Field): SchemaDocument {
  const root: JsonSchema = {
    type: 'object',
    properties: spec[field] ?? {},
    additionalProperties: field === 'context_properties' || spec.additional_properties !== false,
    $defs: isSchemaObject(spec['$defs']) ? spec['$defs'] : {},
  }
  let definitions: JsonSchema[] | undefined
  return {
    root,
    resolve: (ref) => resolveRef(root, ref),
    get definitions() {
      return (definitions ??= definitionsIn(root))
    },
  }
}

/** Whether any definition of a document takes its meaning from another one. */
export function hasReferences({ definitions }: SchemaDocument): boolean {
  return definitions.some((definition) => REFERENCES.some((keyword) => keyword in definition))
}

const REFERENCES: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef']

function definitionsIn(root: JsonSchema): JsonSchema[] {
  const found: JsonSchema[] = [root]
  for (const definition of found) for (const { schema } of subschemas(definition)) if (isSchemaObject(schema)) found.push(schema)
  return found
}
