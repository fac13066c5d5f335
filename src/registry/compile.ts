import type { ErrorObject, ValidateFunction } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { newAjv } from './ajv.ts'
import type { PropertyDefinition } from './event-spec.ts'
import { contextJsonSchema, toJsonSchema } from './json-schema.ts'
import type { SchemaSource } from './json-schema.ts'
import { pointerSteps } from './local-ref.ts'
import { payloadPart } from './payload-part.ts'
import { mayBePersonal } from './personal-data.ts'
import type { JsonSchema } from './subschemas.ts'
import { tellingErrors } from './telling-errors.ts'
import { describeViolation } from './violation.ts'
import type { Violation } from './violation.ts'

export type { Violation } from './violation.ts'

/** Enough to repair a sender; a hostile event could otherwise cause one violation for each of its bytes. */
export const MAX_VIOLATIONS = 20

/** An event spec made ready to judge events. */
export interface CompiledSpec {
  /**
   * Judges one event: `payload` is its `properties` or `traits`, `contextAttributes` its `context.attributes`; what is absent
   * counts as an empty object.
   * @returns what is wrong, at most `MAX_VIOLATIONS`; empty when the event keeps to the spec
   */
  validate(payload: unknown, contextAttributes?: unknown): Violation[]
}

/**
 * Compiles a spec that `checkSpec` let through. Each version has an ajv instance of its own, to be dropped with it, since an
 * instance keeps every schema that it ever compiled.
 * @throws Error of ajv when the definitions are no valid schema
 */
export function compileSpec(spec: SchemaSource): CompiledSpec {
  const ajv = newAjv('telling')
  const judgePayload = judge(ajv, toJsonSchema(spec), definitions(spec, spec.properties), `/${payloadPart(spec.type) ?? 'properties'}`)
  const contextSchema = contextJsonSchema(spec)
  const judgeContext = contextSchema && judge(ajv, contextSchema, definitions(spec, spec.context_properties), '/context/attributes')
  return {
    validate: (payload, contextAttributes) =>
      [...judgePayload(payload ?? {}), ...(judgeContext?.(contextAttributes ?? {}) ?? [])].slice(0, MAX_VIOLATIONS),
  }
}

/** The definitions as published, so that `pii` is still there, in the shape of the schema that is compiled from them. */
function definitions(spec: SchemaSource, properties: Record<string, PropertyDefinition> | undefined): JsonSchema {
  return { properties: properties ?? {}, $defs: spec['$defs'] }
}

function judge(ajv: Ajv2020, schema: JsonSchema, published: JsonSchema, prefix: string): (value: unknown) => Violation[] {
  const isValid: ValidateFunction = ajv.compile(schema)
  const isPersonal = mayBePersonal(published, []) ? (error: ErrorObject) => mayBePersonal(published, pointerSteps(error.instancePath)) : () => false
  return (value) => {
    if (isValid(value)) return []
    const errors = tellingErrors(isValid.errors ?? []).slice(0, MAX_VIOLATIONS)
    isValid.errors = null // would keep the event's values alive until the next faulty one
    return errors.map((error) => describeViolation({ error, prefix, isPersonal: isPersonal(error) }))
  }
}
