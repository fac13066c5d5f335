import type { ErrorObject } from 'ajv'
import { pointerStep } from '../plain-json.ts'
import { longestText } from './bounded-pattern.ts'
import { pointerSteps } from './local-ref.ts'
import { isSchemaObject } from './subschemas.ts'
import { MIN_TEXT_LENGTH } from './unsafe-pattern.ts'

/** One way in which an event breaks its spec. */
export interface Violation {
  /** Stable id: the JSON Schema keyword in snake_case, such as `required`, `enum` or `additional_properties`. */
  rule: string
  /** JSON pointer into the event, such as `/properties/price`. */
  path: string
  /** What is wrong and what would be right, for the person who repairs the sender. */
  message: string
}

/** A fault as ajv reports it, and what may be told about it. */
export interface Finding {
  error: ErrorObject
  /** Pointer of the judged value's container in the event, such as `/properties` or `/context/attributes`. */
  prefix: string
  /** Whether the offending value must not be repeated. */
  isPersonal: boolean
}

const MAX_QUOTE_LENGTH = 60

/** Puts one of ajv's faults into our words. Never repeats a value that may be personal, nor more than 60 characters of any. */
export function describeViolation(finding: Finding): Violation {
  const { prefix } = finding
  const { rule, path } = faultOf(finding)
  return { rule, path: prefix + path, message: `${placeName(prefix, path)} ${demand(finding)}${got(finding)}` }
}

/** One of ajv's faults in our terms; the path begins at the value that was judged. */
export function faultOf(finding: Pick<Finding, 'error' | 'isPersonal'>): Pick<Violation, 'rule' | 'path'> {
  const { error } = finding
  const culprit = culpritOf(finding)
  return { rule: ruleOf(error.keyword), path: error.instancePath + (culprit === undefined ? '' : pointerStep(culprit)) }
}

function ruleOf(keyword: string): string {
  return keyword.replaceAll(' ', '_').replace(/[A-Z]/g, (letter) => '_' + letter.toLowerCase())
}

/** The property that is missing or too many: ajv points at the object around it, a person wants to be led to itself. */
function culpritOf({ error: { keyword, params }, isPersonal }: Pick<Finding, 'error' | 'isPersonal'>): string | undefined {
  if (keyword === 'required' || keyword === 'dependentRequired') return String(params['missingProperty'])
  if (isPersonal) return undefined // a name that the sender chose may be the personal data, as in a map from e-mail addresses
  if (keyword === 'additionalProperties') return String(params['additionalProperty'])
  if (keyword === 'unevaluatedProperties') return String(params['unevaluatedProperty'])
  if (keyword === 'propertyNames') return String(params['propertyName'])
  return undefined
}

/** Names a place as people write it, `property "items[0].sku"`, and the container itself as `properties`. */
function placeName(prefix: string, pointer: string): string {
  const steps = pointerSteps(pointer)
  if (steps.length === 0) return prefix.slice(1).replace('/', '.')
  const name = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('')
  return `property ${quote(name.replace(/^\./, ''))}`
}

/** What the schema asks for, as the rest of a sentence whose subject is the value's name. */
function demand({ error: { keyword, params, schema, parentSchema, data, message }, isPersonal }: Finding): string {
  switch (keyword) {
    case 'required':
      return 'is required but missing'
    case 'dependentRequired':
      return `is required because ${quote(String(params['property']))} is present`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return isPersonal ? 'holds a property that is not in the spec' : 'is not in the spec, which is closed to others; remove it or add it to the spec'
    case 'propertyNames':
      return isPersonal ? 'holds a property whose name the spec does not allow' : 'has a name that the spec does not allow here'
    case 'type':
      return `must be of type ${orList(schema)}`
    case 'enum':
      return `must be one of ${quoteAll(schema)}`
    case 'const':
      return `must be ${quote(schema)}`
    case 'format':
      return `must have the format ${quote(schema)}`
    case 'pattern':
      return `must match the pattern ${quote(schema)}${lengthRemark(String(schema), data)}`
    case 'anyOf':
    case 'oneOf':
      return alternatives(keyword, params, schema)
    case 'not':
      return 'must not have the form that the spec excludes'
    case 'contains':
      return `must hold at least ${String(params['minContains'] ?? 1)} item of the form that the spec asks for`
    case 'false schema':
      return 'is not allowed by the spec; remove it'
    default:
      return message?.replace('NOT', 'not') ?? `breaks the keyword ${keyword} (${quote(parentSchema?.[keyword])})`
  }
}

function lengthRemark(pattern: string, text: unknown): string {
  if (typeof text !== 'string' || text.length <= MIN_TEXT_LENGTH) return '' // spares judging the pattern again
  const longest = longestText(pattern)
  return text.length > longest ? `, which is tried on texts of up to ${longest} characters only` : ''
}

function alternatives(keyword: string, params: Record<string, unknown>, schema: unknown): string {
  const branches = Array.isArray(schema) ? schema : []
  if (keyword === 'oneOf' && Array.isArray(params['passingSchemas'])) {
    return `must match exactly one of ${branches.length} alternatives but matches numbers ${params['passingSchemas'].join(' and ')}, counted from 0`
  }
  const types = branches.map((branch: unknown) => (isSchemaObject(branch) ? branch['type'] : undefined))
  const hint = types.every((type) => typeof type === 'string') ? `: type ${orList([...new Set(types)])}` : ''
  return `must match one of ${branches.length} alternatives${hint}`
}

const SHOWS_VALUE: ReadonlySet<string> = new Set(['type', 'enum', 'const', 'format', 'pattern', 'anyOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength'])

function got({ error, isPersonal }: Finding): string {
  if (!SHOWS_VALUE.has(error.keyword)) return ''
  const value: unknown = error.data
  if (value === null) return '; got null'
  if (Array.isArray(value)) return '; got an array'
  if (typeof value === 'object') return '; got an object'
  if (isPersonal) return `; got a ${typeof value}, not shown because it may be personal data`
  return `; got ${error.keyword === 'type' ? `the ${typeof value} ` : ''}${quote(value)}`
}

function orList(types: unknown): string {
  const names = (Array.isArray(types) ? types : [types]).map(String)
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
}

function quoteAll(values: unknown): string {
  const all = Array.isArray(values) ? values : [values]
  const shown = all.slice(0, 10).map(quote).join(', ')
  return all.length > 10 ? `${shown} and ${all.length - 10} more` : shown
}

/** Writes a value as JSON, cut where it gets too long for a sentence. */
function quote(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, MAX_QUOTE_LENGTH)) : (JSON.stringify(value) ?? 'undefined')
  return text.length <= MAX_QUOTE_LENGTH ? text : `${text.slice(0, MAX_QUOTE_LENGTH - 1)}…`
}
