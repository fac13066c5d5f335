import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorDetail } from '../error.ts'
import { DIALECT } from './json-schema.ts'
import type { JsonSchema } from './subschemas.ts'

let compiled: ValidateFunction | undefined

/** Built when first needed, since it takes 20 ms; it judges schemas and keeps none of them, so one serves all. */
function metaSchema(): ValidateFunction {
  compiled ??= new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false }).getSchema(DIALECT) as ValidateFunction
  return compiled
}

/**
 * What makes a schema no valid JSON Schema 2020-12, the first fault of each place.
 * @param part what the schema's `properties` are called in the spec, for the paths
 */
export function metaSchemaFaults({ part, schema }: { part: string; schema: JsonSchema }): ErrorDetail[] {
  const isValid = metaSchema()
  if (isValid(schema)) return []
  const faults = new Map<string, ErrorDetail>()
  for (const error of (isValid.errors ?? []).filter(isTelling)) {
    const path = error.instancePath.replace(/^\/properties/, `/${part}`)
    if (!faults.has(path)) faults.set(path, { path, message: `is not valid JSON Schema: ${wording(error)}` })
  }
  return [...faults.values()]
}

/** `anyOf` only says that one of the faults before it has to go. */
function isTelling(error: ErrorObject): boolean {
  return error.keyword !== 'anyOf'
}

function wording({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'type') return `must be ${String(params['type']).replace('object,boolean', 'a definition such as {"type": "string"}')}`
  return (message ?? `breaks ${keyword}`).replace('NOT', 'not')
}
