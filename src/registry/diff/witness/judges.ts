import { newAjv } from '../../ajv.ts'
import type { PropertyDefinition } from '../../event-spec.ts'
import { toJsonSchema } from '../../json-schema.ts'
import { refSteps } from '../../local-ref.ts'
import { isSchemaObject, mapSubschemas } from '../../subschemas.ts'
import type { JsonSchema } from '../../subschemas.ts'
import { tellingErrors } from '../../telling-errors.ts'
import { faultOf } from '../../violation.ts'
import type { Violation } from '../../violation.ts'
import type { SchemaDocument } from '../schema-document.ts'

/** What a validator has against a value, and where in it. */
export type Fault = Pick<Violation, 'rule' | 'path'>

/** One side's validator, compiled when it is first asked; `undefined` when it cannot judge. */
export type Judge = (value: unknown) => Fault[] | undefined

/**
 * Makes a judge of one field of an event alone, so that a fault elsewhere in the event does not count. Compiling takes longer than
 * all the rest of a diff, and grows with the document; but a definition of a property does not matter to a value that has no such
 * property. So the judge knows at first only the properties that likely values have, and the others once a value has one of them.
 * @param likely names of properties, wherever they stand, that most values will have
 */
export function lazyJudge(document: SchemaDocument, likely: Iterable<string>): Judge {
  let faultsOf: ((value: unknown) => Fault[]) | undefined
  let left: ReadonlySet<string> = new Set()
  return (value) => {
    try {
      if (faultsOf === undefined) {
        const known = new Set([...likely, ...unavoidableNames(document)])
        left = new Set(document.definitions.flatMap(({ properties }) => namesOf(properties)).filter((name) => !known.has(name)))
        faultsOf = compileRoot(left.size === 0 ? document.root : without(document.root, left))
      }
      if (left.size > 0 && hasAny(value, left)) {
        left = new Set()
        faultsOf = compileRoot(document.root)
      }
      return faultsOf(value)
    } catch {
      return undefined // a spec stored before today's checks, or one that ajv trips over: what it means stays undecided
    }
  }
}

/** The call type, and which of the two fields it is, do not matter to what definitions say. */
function compileRoot({ properties, additionalProperties, $defs }: JsonSchema): (value: unknown) => Fault[] {
  const spec = { name: 'judged', type: 'track', properties: properties as Record<string, PropertyDefinition>, additional_properties: additionalProperties === true, $defs } as const
  const isValid = newAjv('proving').compile(toJsonSchema(spec))
  return (value) => (isValid(value) ? [] : tellingErrors(isValid.errors ?? []).map((error) => faultOf({ error, isPersonal: false })))
}

/** Names that values must have, and those that references lead through. */
function* unavoidableNames({ definitions }: SchemaDocument): Generator<string> {
  for (const { properties, required, $ref } of definitions) {
    if (Array.isArray(required)) yield* required.map(String)
    if (typeof $ref === 'string') yield* refSteps($ref) ?? []
    if (isSchemaObject(properties)) yield* Object.keys(properties).filter((name) => isMarkedRequired(properties[name]))
  }
}

function isMarkedRequired(definition: unknown): boolean {
  return isSchemaObject(definition) && definition['required'] === true
}

/** The same schema, at every depth, without the definitions of properties of these names. */
function without(schema: JsonSchema, names: ReadonlySet<string>): JsonSchema {
  const { properties } = schema
  const kept = isSchemaObject(properties) ? { ...schema, properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.has(name))) } : schema
  return mapSubschemas(kept, (inner) => (isSchemaObject(inner) ? without(inner, names) : inner))
}

/** Whether a value, or one inside it, is an object with such a property. */
function hasAny(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((item) => hasAny(item, names))
  return Object.entries(value).some(([name, inner]) => names.has(name) || hasAny(inner, names))
}

function namesOf(properties: unknown): string[] {
  return isSchemaObject(properties) ? Object.keys(properties) : []
}
