import type { ErrorDetail } from '../error.ts'
import { pointerStep } from '../plain-json.ts'
import { isSchemaObject } from './subschemas.ts'
import type { JsonSchema } from './subschemas.ts'
import { explainUnsafePattern } from './unsafe-pattern.ts'

/** A definition and where it stands. */
export interface Definition {
  /** JSON pointer into the spec document. */
  path: string
  schema: unknown
  /** Whether it defines a property of the object around it, so that `required: true` has a meaning. */
  isProperty: boolean
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
const PII = ['none', 'email', 'phone', 'name', 'ip', 'address', 'id', 'sensitive']

// Valid elsewhere or once; here they would be ignored by some validators, or give `$ref` a second meaning.
const REFUSED: Readonly<Record<string, string>> = {
  $id: 'is not allowed inside a spec, which is one document; name shared definitions in $defs',
  $anchor: 'is not allowed; name shared definitions in $defs and refer to them as "#/$defs/name"',
  $dynamicAnchor: 'is not allowed; name shared definitions in $defs and refer to them as "#/$defs/name"',
  $dynamicRef: 'is not allowed; write $ref with "#/$defs/name"',
  $recursiveAnchor: 'is not part of JSON Schema 2020-12; write $ref with "#/$defs/name"',
  $recursiveRef: 'is not part of JSON Schema 2020-12; write $ref with "#/$defs/name"',
  nullable: 'is not part of JSON Schema; add "null" to the type, as in type: [string, "null"]',
  $async: 'is not part of JSON Schema; remove it',
  dependencies: 'is not part of JSON Schema 2020-12; write dependentRequired or dependentSchemas',
}

/** What is wrong with the keywords of one definition that this registry gives a meaning to, restricts, or can explain best. */
export function keywordFaults({ path, schema, isProperty }: Definition): ErrorDetail[] {
  if (typeof schema === 'boolean') return []
  if (!isSchemaObject(schema)) return [{ path, message: `must be a definition such as {"type": "string"}, or {} for any value; got ${JSON.stringify(schema).slice(0, 60)}` }]
  const faults: ErrorDetail[] = []
  const refuse = (keyword: string, message: string | undefined): void => {
    if (message !== undefined) faults.push({ path: path + keyword.split('/').map(pointerStep).join(''), message })
  }
  for (const [keyword, message] of Object.entries(REFUSED)) if (keyword in schema) refuse(keyword, message)
  refuse('type', explainBadType(schema['type']))
  refuse('required', explainBadRequired(schema['required'], isProperty))
  if (Array.isArray(schema['enum']) && schema['enum'].length === 0) refuse('enum', 'must list at least one value')
  if ('pii' in schema && !PII.some((word) => word === schema['pii'])) refuse('pii', `must be one of ${PII.join(', ')}`)
  if ('aliases' in schema && !isNameList(schema['aliases'])) refuse('aliases', 'must be a list of the names under which this property was sent before')
  return [...faults, ...patternFaults(path, schema)]
}

function explainBadType(type: unknown): string | undefined {
  if (type === undefined) return undefined
  const named = Array.isArray(type) ? type : [type]
  const unknown = named.find((name) => !TYPES.some((known) => known === name))
  if (unknown !== undefined) return `must be one of ${TYPES.join(', ')}, or a list of some; got ${JSON.stringify(unknown).slice(0, 60)}`
  return named.length > 0 ? undefined : 'must name at least one type'
}

function explainBadRequired(required: unknown, isProperty: boolean): string | undefined {
  if (required === true && !isProperty) return 'must not be true here, where no property of an object is defined; a list names properties that are required'
  if (required === undefined || typeof required === 'boolean' || Array.isArray(required)) return undefined
  return 'must be true or false, or a list of the names of properties inside that are required'
}

function patternFaults(path: string, schema: JsonSchema): ErrorDetail[] {
  const patterns: { path: string; pattern: string }[] = []
  if (typeof schema['pattern'] === 'string') patterns.push({ path: `${path}/pattern`, pattern: schema['pattern'] })
  if (isSchemaObject(schema['patternProperties'])) {
    for (const pattern of Object.keys(schema['patternProperties'])) patterns.push({ path: `${path}/patternProperties${pointerStep(pattern)}`, pattern })
  }
  return patterns.flatMap(({ path: place, pattern }) => {
    const fault = explainUnsafePattern(pattern)
    return fault === undefined ? [] : [{ path: place, message: `is not allowed as a pattern: ${fault}` }]
  })
}

function isNameList(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '')
}
