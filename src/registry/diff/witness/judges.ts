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

/** One side's validator of one field of an event; a fault elsewhere in the event does not count. What it cannot judge it neither accepts nor faults. */
export interface Judge {
  accepts: (value: unknown) => boolean
  /** What it has against a value, at the places on the way to the changes. */
  faults: (value: unknown) => readonly Fault[]
}

/**
 * Makes a judge. Compiling takes longer than all the rest of a diff, and grows with the document: it is done when the judge is first
 * asked, and for the properties alone that matter to the answer.
 * @param onTheWay names of the properties that lead to the changes
 */
export function lazyJudge(document: SchemaDocument, onTheWay: ReadonlySet<string>): Judge {
  const accepting = lazy(() => attempt(() => acceptingFaults(document, onTheWay)))
  const refusing = lazy(() => attempt(() => compileRoot(refersOnlyToDefs(document) ? loosened(document.root, onTheWay) : document.root)))
  return {
    accepts: (value) => attempt(() => accepting()?.(value).length === 0) ?? false,
    faults: (value) => attempt(() => refusing()?.(value)) ?? [],
  }
}

type FaultsOf = (value: unknown) => Fault[]

/**
 * A definition of a property does not matter to a value that has no such property. So only those are compiled at first that most values
 * will have, and the others once a value has one of them.
 */
function acceptingFaults(document: SchemaDocument, onTheWay: ReadonlySet<string>): FaultsOf {
  const known = new Set([...onTheWay, ...unavoidableNames(document)])
  let left: ReadonlySet<string> = new Set(document.definitions.flatMap(({ properties }) => namesOf(properties)).filter((name) => !known.has(name)))
  let faultsOf = compileRoot(left.size === 0 ? document.root : without(document.root, left))
  return (value) => {
    if (left.size > 0 && hasAny(value, left)) {
      left = new Set()
      faultsOf = compileRoot(document.root)
    }
    return faultsOf(value)
  }
}

/**
 * The same schema with no demand upon properties that lead to no change, except that they be there. All that it finds fault with
 * the whole schema does as well.
 */
function loosened(schema: JsonSchema, onTheWay: ReadonlySet<string>): JsonSchema {
  const { properties } = schema
  if (!isSchemaObject(properties)) return schema
  const loosen = ([name, definition]: [string, unknown]): [string, unknown] => {
    if (!onTheWay.has(name)) return [name, { required: isMarkedRequired(definition) }]
    return [name, isSchemaObject(definition) ? loosened(definition, onTheWay) : definition]
  }
  return { ...schema, properties: Object.fromEntries(Object.entries(properties).map(loosen)) }
}

/** Whether no reference can name what is loosened: under `not` it would exclude what the whole schema allows. */
function refersOnlyToDefs({ definitions }: SchemaDocument): boolean {
  return definitions.every(({ $ref = '#/$defs/', $dynamicRef }) => $dynamicRef === undefined && typeof $ref === 'string' && $ref.startsWith('#/$defs/'))
}

/** `undefined` for a spec stored before today's checks, or one that ajv trips over: what it means stays undecided. */
function attempt<T>(judge: () => T): T | undefined {
  try {
    return judge()
  } catch {
    return undefined
  }
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** The call type, and which of the two fields it is, do not matter to what definitions say. */
function compileRoot({ properties, additionalProperties, $defs }: JsonSchema): FaultsOf {
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
