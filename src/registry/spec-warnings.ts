import { pointerStep } from '../plain-json.ts'
import type { UnversionedSpec } from './event-spec.ts'
import { formats } from './formats.ts'
import { payloadPart } from './payload-part.ts'
import { isSchemaObject, subschemas } from './subschemas.ts'

/** Something about a spec that is allowed and probably not meant. */
export interface SpecWarning {
  rule: string
  message: string
  /** JSON pointer into the spec. */
  path: string
}

const SNAKE_CASE = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/

/** What deserves a second look in a spec that `checkSpec` let through. */
export function specWarnings(spec: UnversionedSpec): SpecWarning[] {
  const warnings: SpecWarning[] = []
  if (!spec.description?.trim()) {
    warnings.push({ rule: 'description.missing', path: '/description', message: 'there is no description; say when the event is sent, for those who read it in a warehouse' })
  }
  if (!SNAKE_CASE.test(spec.name)) {
    warnings.push({ rule: 'name.style', path: '/name', message: `the name "${spec.name}" is not in snake_case, which reads the same in every destination; event_name can hold what senders use` })
  }
  if (Array.isArray(spec['required'])) {
    warnings.push({ rule: 'required.no-effect', path: '/required', message: 'a list of required properties has no effect at the top of a spec; write required: true in each property' })
  }
  if (payloadPart(spec.type) === undefined && Object.keys(spec.properties ?? {}).length > 0) {
    warnings.push({ rule: 'properties.no-effect', path: '/properties', message: 'properties have no effect for an alias, which carries user_id and previous_id only' })
  }
  const parts = (['properties', 'context_properties', '$defs'] as const).flatMap((part) => (isSchemaObject(spec[part]) ? Object.entries(spec[part]).map(([name, schema]) => ({ path: `/${part}${pointerStep(name)}`, schema })) : []))
  return [...warnings, ...parts.flatMap(({ path, schema }) => definitionWarnings(path, schema))]
}

function definitionWarnings(path: string, schema: unknown): SpecWarning[] {
  if (!isSchemaObject(schema)) return []
  const warnings = subschemas(schema).flatMap((inner) => definitionWarnings(path + inner.path, inner.schema))
  const { format } = schema
  if (typeof format === 'string' && !Object.hasOwn(formats, format)) {
    warnings.push({ rule: 'format.unknown', path: `${path}/format`, message: `the format "${format.slice(0, 60)}" is not checked; known are ${Object.keys(formats).join(', ')}` })
  }
  if ('additional_properties' in schema) {
    warnings.push({ rule: 'additional-properties.spelling', path: `${path}/additional_properties`, message: 'has no effect inside a definition, where it is spelled additionalProperties' })
  }
  return warnings
}
