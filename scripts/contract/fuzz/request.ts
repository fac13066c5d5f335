import fc from 'fast-check'
import { spoiled } from './mutations.ts'
import type { Parameter, Published, PublishedOperation } from './published.ts'
import { valuesOf } from './values.ts'

/** A request ready to be sent, and what the contract says of it. */
export interface FuzzRequest {
  operation: PublishedOperation
  /** What was done to it, for people. */
  kind: string
  method: string
  path: string
  headers: Record<string, string>
  body: string | Buffer | undefined
  /** The statuses that it may be answered with; undefined for any that the operation lists. */
  allowed: readonly number[] | undefined
}

interface Parts {
  parameters: Record<string, unknown>
  body: unknown
}

/** Requests that the contract allows, or that break it in one place. */
export function requestsOf(published: Published, operation: PublishedOperation): fc.Arbitrary<FuzzRequest> {
  const valid = partsOf(published, operation)
  const options = [valid.map((parts) => build(operation, parts, { kind: 'valid' }))]
  const schema = operation.body?.content['application/json']?.schema
  if (schema) {
    const isValid = published.validatorOf(schema)
    options.push(
      valid.chain((parts) =>
        spoiled(parts.body ?? {}).map(({ name, body }) => {
          const refused = !isValid(body)
          return build(operation, { ...parts, body }, { kind: refused ? name : `${name}, still valid`, ...(refused ? { allowed: [400] } : {}) })
        }),
      ),
    )
  }
  options.push(valid.chain((parts) => spoiledParameters(published, operation, parts)))
  return fc.oneof(...options)
}

/** Parameters and body that the contract allows. */
function partsOf(published: Published, operation: PublishedOperation): fc.Arbitrary<Parts> {
  const due = operation.parameters.filter(({ required }) => required)
  const optional = operation.parameters.filter(({ required }) => !required)
  const made = (parameters: Parameter[]) => fc.record(Object.fromEntries(parameters.map((parameter) => [parameter.name, parameterValues(published, parameter)])))
  const examples = fc.constant(Object.fromEntries(due.map(({ name, example }) => [name, example])))
  // Most often what the examples name together, since that is there, and a few of the optional ones: any of them can make the answer a 400.
  const parameters = fc
    .tuple(fc.oneof({ weight: 3, arbitrary: examples }, { weight: 2, arbitrary: made(due) }), fc.shuffledSubarray(optional, { maxLength: Math.min(2, optional.length) }).chain(made))
    .map(([one, other]): Record<string, unknown> => ({ ...one, ...other }))
  const media = operation.body?.content['application/json']
  const body = media ? valuesOf(published, media.schema) : fc.constant(undefined)
  return fc.record({ parameters, body: operation.body?.required === false ? fc.option(body, { nil: undefined }) : body })
}

function parameterValues(published: Published, { in: place, example, schema }: Parameter): fc.Arbitrary<unknown> {
  const made = valuesOf(published, schema)
  // Ids of what exists are small.
  if (place === 'path' && published.resolve(schema).type === 'integer') return fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 60 }) }, { weight: 1, arbitrary: made })
  return fc.oneof({ weight: 2, arbitrary: fc.constant(example) }, { weight: 1, arbitrary: made })
}

/** A query parameter that is unknown, or a parameter of a value that its schema refuses. */
function spoiledParameters(published: Published, operation: PublishedOperation, parts: Parts): fc.Arbitrary<FuzzRequest> {
  const unknown = fc.constant(build(operation, { ...parts, parameters: { ...parts.parameters, surprising: 1 } }, { kind: 'unknown query parameter', allowed: [400] }))
  const hostile = fc.constantFrom('x'.repeat(2000), '-1', '1e3', '01', 'NaN', ' ', '\u0000', '%', 'a b', "' OR 1=1 --", '../../etc/passwd', '\ud83d\ude00'.repeat(60), 'true ', '{}', '1-0', '9'.repeat(30))
  const changed = operation.parameters.map((parameter) =>
    hostile.map((value) => {
      const refused = refuses(published, parameter, value)
      return build(operation, { ...parts, parameters: { ...parts.parameters, [parameter.name]: value } }, { kind: `${parameter.name} = ${value.slice(0, 30)}`, ...(refused ? { allowed: [400] } : {}) })
    }),
  )
  return fc.oneof(unknown, ...changed)
}

/** Whether no reading of a text fits the schema of its parameter. */
function refuses(published: Published, { schema }: Parameter, text: string): boolean {
  const { type } = published.resolve(schema)
  const isValid = published.validatorOf(schema)
  if (type === 'integer' || type === 'number') return !isValid(Number(text)) && !isValid(text)
  if (type === 'boolean') return !['true', 'false'].includes(text)
  return !isValid(text)
}

function build(operation: PublishedOperation, { parameters, body }: Parts, { kind, allowed }: { kind: string; allowed?: readonly number[] }): FuzzRequest {
  const placeOf = (name: string) => operation.parameters.find((parameter) => parameter.name === name)?.in ?? 'query'
  const entries = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null)
  const at = (place: string) => entries.filter(([name]) => placeOf(name) === place).map(([name, value]): [string, string] => [name, String(value)])
  const path = at('path').reduce((made, [name, value]) => made.replace(`{${name}}`, encodePart(value)), operation.path)
  const query = at('query').map(([name, value]) => `${name}=${encodePart(value)}`).join('&')
  const headers = Object.fromEntries(at('header').map(([name, value]) => [name, headerText(value)]))
  return {
    operation,
    kind,
    method: operation.method.toUpperCase(),
    path: query === '' ? path : `${path}?${query}`,
    headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
    allowed,
  }
}

function encodePart(value: string): string {
  // A single dot, or two, would be taken for a step in the path by whoever normalises it.
  return encodeURIComponent(value.toWellFormed()).replaceAll(/^\.{1,2}$/g, (dots) => dots.replaceAll('.', '%2E'))
}

/** HTTP carries bytes in headers; what it cannot carry never arrives. */
function headerText(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]/g, '?').trim()
}
