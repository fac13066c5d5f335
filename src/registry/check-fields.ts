import { isDeepStrictEqual } from 'node:util'
import type { ErrorDetail } from '../error.ts'
import { pointerStep } from '../plain-json.ts'
import { isDay, isEventReference } from './deprecation.ts'
import { isSchemaObject } from './subschemas.ts'
import { isVersion } from './version.ts'

/** Says what a value must be, or nothing when it is that. */
type Demand = (value: unknown) => string | undefined

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
const NAME_TEXT = 'must be 1 to 100 letters, digits, ".", "_" or "-" and begin with a letter or digit'
const VERSION_TEXT = 'must be MAJOR-MINOR-PATCH, three numbers up to 2147483647 without leading zeros such as "1-0-2"; leave it out to have it computed'
// Longer than the names that any of the providers accepts.
const MAX_EVENT_NAME = 200
const MAX_TAGS = 100

const text: Demand = (value) => (typeof value === 'string' ? undefined : 'must be a string')
const map: Demand = (value) => (isSchemaObject(value) ? undefined : 'must be an object that maps each name to its definition')
const list: Demand = (value) => (Array.isArray(value) ? undefined : 'must be a list')
const name: Demand = (value) => (typeof value === 'string' && NAME.test(value) ? undefined : NAME_TEXT)
const oneOf = (...allowed: string[]): Demand => (value) => allowed.some((word) => word === value) ? undefined : `must be one of ${allowed.join(', ')}`

const strategy = oneOf('user_id_hash', 'random', 'none')
const rate: Demand = (value) => (typeof value === 'number' && value >= 0 && value <= 1 ? undefined : 'must be a number from 0 to 1')

// Path into the document → what stands there if anything does. A path below another is only looked at when that one is an object.
const DEMANDS: readonly [path: readonly string[], demand: Demand][] = [
  [['namespace'], name],
  [['name'], name],
  [['version'], (value) => (isVersion(value) ? undefined : VERSION_TEXT)],
  [['status'], oneOf('active', 'deprecated', 'deleted', 'draft')],
  [['type'], oneOf('track', 'identify', 'group', 'page', 'alias')],
  [['event_name'], eventName],
  ...['display_name', 'description', 'owner', '$schema'].map((key): [string[], Demand] => [[key], text]),
  [['tags'], tags],
  [['sunset'], (value) => (typeof value === 'string' && isDay(value) ? undefined : 'must be a day such as "2027-03-31"')],
  [['replaced_by'], (value) => (typeof value === 'string' && isEventReference(value) ? undefined : 'must be namespace/name or namespace/name@version of what to send instead')],
  ...['properties', 'context_properties', '$defs'].map((key): [string[], Demand] => [[key], map]),
  [['additional_properties'], (value) => (typeof value === 'boolean' ? undefined : 'must be true, for an event that is open to further properties, or false')],
  ...[['sampling'], ['hooks', 'sampling']].flatMap((path): [string[], Demand][] => [
    [path, objectOf('strategy and rate')],
    [[...path, 'strategy'], strategy],
    [[...path, 'rate'], rate],
  ]),
  [['hooks'], objectOf('validation and sampling')],
  [['hooks', 'validation'], objectOf('mode')],
  [['hooks', 'validation', 'mode'], oneOf('strict', 'warn')],
  [['examples'], objectOf('valid and invalid')],
  [['examples', 'valid'], list],
  [['examples', 'invalid'], list],
]

/** What is wrong with the fields of a spec, apart from the property definitions and whether the examples hold. */
export function fieldFaults(spec: Record<string, unknown>): ErrorDetail[] {
  const faults = ['namespace', 'name'].filter((key) => spec[key] === undefined).map((key) => ({ path: pointerStep(key), message: `is required; it ${NAME_TEXT}` }))
  for (const [path, demand] of DEMANDS) {
    const value = valueAt(spec, path)
    const message = value === undefined ? undefined : demand(value)
    if (message !== undefined) faults.push({ path: path.map(pointerStep).join(''), message: `${message}; got ${quote(value)}` })
  }
  const elsewhere = valueAt(spec, ['hooks', 'sampling'])
  if (spec['sampling'] !== undefined && elsewhere !== undefined && !isDeepStrictEqual(spec['sampling'], elsewhere)) {
    faults.push({ path: '/hooks/sampling', message: 'is another way to write /sampling and differs from it; keep one of them' })
  }
  return faults
}

function valueAt(spec: Record<string, unknown>, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isSchemaObject(value) ? value[key] : undefined), spec)
}

function objectOf(keys: string): Demand {
  return (value) => (isSchemaObject(value) ? undefined : `must be an object with ${keys}`)
}

function eventName(value: unknown): string | undefined {
  if (typeof value === 'string' && value.length > 0 && value.length <= MAX_EVENT_NAME) return undefined
  return `must be a string of 1 to ${MAX_EVENT_NAME} characters, the name that senders use`
}

function tags(value: unknown): string | undefined {
  const isTag = (tag: unknown): boolean => typeof tag === 'string' && tag.length > 0 && tag.length <= 100
  return Array.isArray(value) && value.length <= MAX_TAGS && value.every(isTag) ? undefined : `must be a list of at most ${MAX_TAGS} strings of 1 to 100 characters`
}

function quote(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length <= 60 ? json : `${json.slice(0, 59)}…`
}
