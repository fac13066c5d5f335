import SwaggerParser from '@apidevtools/swagger-parser'
import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'
import { expect } from 'chai'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const CONTRACT = resolve(import.meta.dirname, '../../openapi')
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']
const ROLES = ['none', 'viewer', 'publisher', 'admin']
// An unknown key of a setting is an invalid input, and so a 400.
const ANSWERS_400_FOR_404 = new Set(['setConfig'])
// What an operation may answer beyond what follows from its shape.
const CHOSEN_STATUSES = new Set(['200', '201', '202', '204', '304', '409'])

interface Schema {
  type?: string | string[]
  description?: string
  example?: unknown
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: boolean | Schema
  allOf?: Schema[]
  oneOf?: Schema[]
  anyOf?: Schema[]
  not?: Schema
  enum?: unknown[]
  pattern?: string
  discriminator?: { propertyName: string; mapping?: Record<string, string> }
  [keyword: string]: unknown
}

interface Described {
  description?: string
  example?: unknown
  schema: Schema
}

interface Parameter extends Described {
  name: string
  in: string
}

type Content = Record<string, { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }>

interface Answer {
  description: string
  headers?: Record<string, Described>
  content?: Content
  links?: unknown
}

interface Operation {
  operationId?: string
  tags?: string[]
  summary?: string
  description?: string
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { description?: string; content: Content }
  responses: Record<string, Answer>
  'x-required-role'?: string
  'x-bootstrap'?: boolean
}

interface Document {
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation> & { parameters?: Parameter[] }>
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer>; pathItems?: unknown } & Record<string, unknown>
  'x-webhooks': Record<string, Record<string, Operation>>
}

/** A place in the document, named so that a person finds it. */
interface Place<T> {
  name: string
  node: T
}

let document: Document
let operations: (Place<Operation> & { path: string })[]
let schemas: Place<Schema>[]
let properties: Place<Schema>[]
let sent: Set<Schema>

/** A schema and all inside it, each once: references are shared objects here. */
function schemasUnder({ name, node }: Place<Schema>, seen: Set<Schema>): Place<Schema>[] {
  if (seen.has(node)) return []
  seen.add(node)
  return [{ name, node }, ...partsOf(node).flatMap(([key, part]) => schemasUnder({ name: name + key, node: part }, seen))]
}

function partsOf(schema: Schema): [string, Schema][] {
  const parts: [string, unknown][] = [
    ...Object.entries(schema.properties ?? {}).map(([key, part]): [string, unknown] => [`.${key}`, part]),
    ...(['allOf', 'oneOf', 'anyOf'] as const).flatMap((keyword) => (schema[keyword] ?? []).map((part, index): [string, unknown] => [`/${keyword}/${index}`, part])),
    ['[]', schema.items],
    ['{}', schema.additionalProperties],
    ['/not', schema.not],
  ]
  return parts.filter((part): part is [string, Schema] => typeof part[1] === 'object' && part[1] !== null)
}

/** Parameters and headers of an operation. */
function describedIn(name: string, operation: Operation): Place<Described>[] {
  return [
    ...(operation.parameters ?? []).map((node) => ({ name: `${name} ${node.in} ${node.name}`, node })),
    ...Object.entries(operation.responses).flatMap(([status, answer]) =>
      Object.entries(answer.headers ?? {}).map(([header, node]) => ({ name: `${name} ${status} ${header}`, node: { ...node.schema, ...node } })),
    ),
  ]
}

/** Bodies of an operation, sent and returned. */
function contentsIn(name: string, operation: Operation): Place<Content[string]>[] {
  const contents: [string, Content | undefined][] = [
    ['body', operation.requestBody?.content],
    ...Object.entries(operation.responses).map(([status, { content }]): [string, Content | undefined] => [status, content]),
  ]
  return contents.flatMap(([part, content]) => Object.entries(content ?? {}).map(([type, node]) => ({ name: `${name} ${part} ${type}`, node })))
}

function examplesOf({ schema, example, examples }: Content[string]): unknown[] {
  if (examples) return Object.values(examples).map(({ value }) => value)
  if (example !== undefined) return [example]
  return 'example' in schema ? [schema.example] : []
}

/** Names of the places that break a rule. */
function offending<T>(places: Place<T>[], breaks: (node: T) => boolean): string[] {
  return places.filter(({ node }) => breaks(node)).map(({ name }) => name)
}

function isBounded(schema: Schema): boolean {
  if (schema.enum) return true
  if (schema.type === 'string') return schema['maxLength'] !== undefined || /^\^.*\$$/.test(schema.pattern ?? '') || schema['format'] === 'date-time'
  if (schema.type === 'integer' || schema.type === 'number') return schema['minimum'] !== undefined && schema['maximum'] !== undefined
  if (schema.type === 'array') return schema['maxItems'] !== undefined
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') return schema['maxProperties'] !== undefined
  return true
}

/** A free object or a list of plain values shows itself by its own example; other objects and lists by those of their parts. */
function showsItself(schema: Schema): boolean {
  if ('example' in schema) return true
  if (schema.allOf ?? schema.oneOf ?? schema.anyOf) return true
  if (schema.type === 'array') return schema.items?.properties !== undefined || schema.items?.allOf !== undefined || schema.items?.oneOf !== undefined
  return schema.type === 'object' && schema.properties !== undefined
}

function statusesDue(operation: Operation, path: string): string[] {
  const role = operation['x-required-role']
  return [
    '400',
    ...(role === 'none' ? [] : ['401', '429']),
    ...(role === 'publisher' || role === 'admin' ? ['403'] : []),
    ...(path.includes('{') && !ANSWERS_400_FOR_404.has(operation.operationId ?? '') ? ['404'] : []),
    ...(operation.requestBody ? ['413', '415'] : []),
    '500',
    // The contract is part of the program; all else needs the database.
    ...(operation.tags?.includes('contract') ? [] : ['503']),
  ]
}

describe('the contract', () => {
  before(async () => {
    document = (await SwaggerParser.dereference(join(CONTRACT, 'openapi.yaml'))) as unknown as Document
    operations = Object.entries(document.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => {
        const operation = item[method] as Operation
        const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
        return { name: `${method.toUpperCase()} ${path}`, path, node: { ...operation, parameters } }
      }),
    )
    const seen = new Set<Schema>()
    schemas = [
      ...Object.entries(document.components.schemas).map(([name, node]) => ({ name, node })),
      ...operations.flatMap(({ name, node }) => [...describedIn(name, node), ...contentsIn(name, node)].map((place) => ({ name: place.name, node: place.node.schema }))),
    ].flatMap((place) => schemasUnder(place, seen))
    properties = schemas.flatMap(({ name, node }) => Object.entries(node.properties ?? {}).map(([key, property]) => ({ name: `${name}.${key}`, node: property })))
    sent = new Set(
      operations
        .flatMap(({ name, node }) => [...(node.parameters ?? []), ...Object.values(node.requestBody?.content ?? {})].map(({ schema }) => ({ name, node: schema })))
        .flatMap((place) => schemasUnder(place, new Set()))
        .map(({ node }) => node),
    )
  })

  it('is valid OpenAPI 3.0.3', async () => {
    await SwaggerParser.validate(join(CONTRACT, 'openapi.yaml'))
    expect(document).to.have.property('openapi', '3.0.3')
  })

  it('lists every schema file as a component, so that it keeps its name in generated code', () => {
    const files = readdirSync(join(CONTRACT, 'schemas'), { recursive: true }).filter((file) => String(file).endsWith('.yaml'))
    expect(Object.keys(document.components.schemas)).to.have.length(files.length)
  })

  it('describes every schema', () => {
    expect(offending(schemas.filter(({ name }) => /^\w+$/.test(name)), ({ description }) => !description)).to.deep.equal([])
  })

  it('describes every property', () => {
    expect(offending(properties, ({ description }) => !description)).to.deep.equal([])
  })

  it('shows an example of every property', () => {
    expect(offending(properties, (property) => !showsItself(property))).to.deep.equal([])
  })

  it('bounds every value that is sent', () => {
    expect(offending(schemas.filter(({ node }) => sent.has(node)), (schema) => !isBounded(schema))).to.deep.equal([])
  })

  it('says of every object whether it is open', () => {
    expect(offending(schemas, ({ type, additionalProperties, oneOf }) => type === 'object' && oneOf === undefined && additionalProperties === undefined)).to.deep.equal([])
  })

  it('marks every credential as a secret', () => {
    expect(offending(properties.filter(({ name }) => /\.(api_key|\w*secret)$/.test(name)), (property) => property['x-secret'] !== true)).to.deep.equal([])
  })

  it('describes every parameter and header and shows an example of it', () => {
    const places = operations.flatMap(({ name, node }) => describedIn(name, node))
    expect(offending(places, (node) => !node.description || node.example === undefined)).to.deep.equal([])
  })

  it('asks for at least one character of every text in a path, since a path with an empty part is another path', () => {
    const texts = operations.flatMap(({ name, node }) => (node.parameters ?? []).filter((parameter) => parameter.in === 'path' && parameter.schema.type === 'string').map((parameter) => ({ name: `${name} ${parameter.name}`, node: parameter.schema })))
    expect(offending(texts, ({ pattern, minLength, enum: words }) => words === undefined && minLength === undefined && (pattern === undefined || new RegExp(pattern).test('')))).to.deep.equal([])
  })

  it('gives every operation a unique camelCase operationId', () => {
    const ids = [...operations.map(({ node }) => node), ...Object.values(document['x-webhooks']).flatMap((item) => Object.values(item))].map(({ operationId }) => operationId ?? '')
    expect(ids.filter((id, index) => !/^[a-z][A-Za-z0-9]*$/.test(id) || ids.indexOf(id) !== index)).to.deep.equal([])
  })

  it('gives every operation exactly one tag that is described', () => {
    const known = new Set(document.tags.filter(({ description }) => description).map(({ name }) => name))
    expect(offending(operations, ({ tags }) => tags?.length !== 1 || !known.has(tags[0] ?? ''))).to.deep.equal([])
  })

  it('gives every operation a summary and a description', () => {
    expect(offending(operations, ({ summary, description }) => !summary || !description)).to.deep.equal([])
  })

  it('states the role that every operation needs, and asks for no key where none is needed', () => {
    const wrong = offending(operations, (operation) => {
      const role = operation['x-required-role'] ?? ''
      const security = JSON.stringify(operation.security ?? 'inherited')
      const due = role === 'none' ? '[]' : operation['x-bootstrap'] ? '[{"bearerAuth":[]},{}]' : '"inherited"'
      return !ROLES.includes(role) || security !== due
    })
    expect(wrong).to.deep.equal([])
  })

  it('names the schema of every body', () => {
    const named = new Set(Object.values(document.components.schemas))
    const places = operations.flatMap(({ name, node }) => contentsIn(name, node))
    expect(offending(places, ({ schema }) => !named.has(schema))).to.deep.equal([])
  })

  it('shows an example of every body', () => {
    const places = operations.flatMap(({ name, node }) => contentsIn(name, node))
    expect(offending(places, (content) => examplesOf(content).length === 0)).to.deep.equal([])
  })

  it('takes YAML in the same shape as JSON, and JSON first', () => {
    const places = operations.filter(({ node }) => node.requestBody)
    const differ = offending(places, ({ requestBody }) => {
      const [first, ...others] = Object.entries(requestBody?.content ?? {})
      return first?.[0] !== 'application/json' || others.some(([, { schema }]) => schema !== first[1].schema)
    })
    expect(differ).to.deep.equal([])
  })

  it('lists every status that an operation owes', () => {
    const missing = operations.flatMap(({ name, path, node }) => statusesDue(node, path).filter((status) => !node.responses[status]).map((status) => `${name} lacks ${status}`))
    const silent = offending(operations, ({ responses }) => !Object.keys(responses).some((status) => /^2\d\d$/.test(status)))
    expect([...missing, ...silent]).to.deep.equal([])
  })

  it('lists no status that an operation cannot answer', () => {
    const surplus = operations.flatMap(({ name, path, node }) => {
      const due = new Set(statusesDue(node, path))
      return Object.keys(node.responses).filter((status) => !due.has(status) && !CHOSEN_STATUSES.has(status)).map((status) => `${name} has ${status}`)
    })
    expect(surplus).to.deep.equal([])
  })

  it('answers every failure with the one error shape and an example that speaks in a sentence', () => {
    const { Error: errorSchema } = document.components.schemas
    const places = operations.flatMap(({ name, node }) =>
      Object.entries(node.responses)
        .filter(([status]) => /^[45]/.test(status) && !(status === '503' && node.tags?.includes('health')))
        .map(([status, answer]) => ({ name: `${name} ${status}`, node: answer })),
    )
    const wrong = offending(places, ({ content }) => {
      const json = content?.['application/json']
      const sentence = (json?.example as { error?: string } | undefined)?.error ?? ''
      return json?.schema !== errorSchema || sentence.split(' ').length < 6
    })
    expect(wrong).to.deep.equal([])
  })

  it('names the headers that an answer carries', () => {
    const missing = operations.flatMap(({ name, node }) =>
      Object.entries(node.responses).flatMap(([status, { headers = {} }]) => {
        const isPaged = status === '200' && node.parameters?.some((parameter) => parameter.name === 'cursor')
        const due = ['X-Request-Id', ...(status === '201' ? ['Location'] : []), ...(status === '401' ? ['WWW-Authenticate'] : []), ...(status === '503' || status === '429' ? ['Retry-After'] : []), ...(isPaged ? ['Link'] : [])]
        return due.filter((header) => !headers[header]).map((header) => `${name} ${status} lacks ${header}`)
      }),
    )
    expect(missing).to.deep.equal([])
  })

  it('describes every required property beside the list that requires it, since generators look nowhere else', () => {
    const lost = schemas.flatMap(({ name, node }) => ((node['required'] as string[] | undefined) ?? []).filter((key) => !node.properties?.[key]).map((key) => `${name}.${key}`))
    expect(lost).to.deep.equal([])
  })

  it('uses no keyword that generators stumble over', () => {
    const forbidden = ['const', '$defs', 'definitions', 'readOnly', 'writeOnly', 'examples', 'patternProperties', 'if']
    const keywords = schemas.flatMap(({ name, node }) => forbidden.filter((keyword) => keyword in node).map((keyword) => `${name} ${keyword}`))
    const types = offending(schemas, ({ type }) => Array.isArray(type))
    const untypedNull = offending(schemas, ({ nullable, type }: Schema & { nullable?: boolean }) => nullable !== undefined && type === undefined)
    const booleans = offending(schemas, (schema) => [...Object.values(schema.properties ?? {}), schema.items].some((part) => typeof part === 'boolean'))
    const mixed = offending(schemas, (schema) => schema.properties !== undefined && typeof schema.additionalProperties === 'object')
    expect([...keywords, ...types, ...untypedNull, ...booleans, ...mixed]).to.deep.equal([])
  })

  it('uses no status ranges, default answers, links or shared path items', () => {
    const vague = operations.flatMap(({ name, node }) => Object.keys(node.responses).filter((status) => !/^[1-5]\d\d$/.test(status)).map((status) => `${name} ${status}`))
    const linked = operations.flatMap(({ name, node }) => offending(Object.entries(node.responses).map(([status, answer]) => ({ name: `${name} ${status}`, node: answer })), ({ links }) => links !== undefined))
    expect([...vague, ...linked, ...('pathItems' in document.components ? ['components.pathItems'] : [])]).to.deep.equal([])
  })

  it('tells the shapes of a choice apart by a property with one mapped value each', () => {
    const unclear = offending(schemas, ({ oneOf, anyOf, discriminator }) => {
      if (anyOf) return true
      if (!oneOf) return false
      const tag = discriminator?.propertyName ?? ''
      const values = oneOf.flatMap((branch) => (branch.required as string[] | undefined)?.includes(tag) ? (branch.properties?.[tag]?.enum ?? []) : [undefined])
      return JSON.stringify([...values].sort()) !== JSON.stringify(Object.keys(discriminator?.mapping ?? {}).sort())
    })
    expect(unclear).to.deep.equal([])
  })

  it('holds only examples that are valid', () => {
    const ajv = new Ajv({ strict: false, allErrors: true })
    ;(ajvFormats as unknown as typeof ajvFormats.default)(ajv)
    const examples = [
      ...schemas.filter(({ node }) => 'example' in node).map(({ name, node }) => ({ name, schema: node, value: node.example })),
      ...operations.flatMap(({ name, node }) => describedIn(name, node)).map(({ name, node }) => ({ name, schema: node.schema, value: node.example })),
      ...operations.flatMap(({ name, node }) => contentsIn(name, node)).flatMap(({ name, node }) => examplesOf(node).map((value) => ({ name, schema: node.schema, value }))),
    ]
    const invalid = examples.filter(({ schema, value }) => !ajv.validate(schema, value)).map(({ name, schema, value }) => `${name}: ${ajv.validate(schema, value) ? '' : ajv.errorsText()}`)
    expect(invalid).to.deep.equal([])
  })
})
