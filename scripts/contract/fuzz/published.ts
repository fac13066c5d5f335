import { Ajv } from 'ajv'
import type { ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'

/** A schema of OpenAPI 3.0.3. */
export interface Schema {
  $ref?: string
  type?: string
  nullable?: boolean
  enum?: unknown[]
  example?: unknown
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  maxProperties?: number
  required?: string[]
  properties?: Record<string, Schema>
  items?: Schema
  additionalProperties?: boolean | Schema
  oneOf?: Schema[]
  allOf?: Schema[]
  discriminator?: { propertyName: string; mapping: Record<string, string> }
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  example?: unknown
  schema: Schema
}

interface Response {
  headers?: Record<string, { required?: boolean; schema: Schema }>
  content?: Record<string, { schema: Schema }>
}

/** One operation as the document describes it, references to shared parts followed. */
export interface PublishedOperation {
  id: string
  method: string
  path: string
  parameters: Parameter[]
  /** By media type; undefined for an operation without body. */
  body: { required: boolean; content: Record<string, { schema: Schema; example?: unknown }> } | undefined
  responses: Record<string, Response>
}

/** The published document, ready to be held against what the server does. */
export interface Published {
  operations: PublishedOperation[]
  /** Follows a reference. */
  resolve: <T extends { $ref?: string }>(node: T) => T
  /** The compiled check of a schema of the document. */
  validatorOf: (schema: Schema) => ValidateFunction
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch']

/** Fetches the document of a running service. */
export async function fetchPublished(url: string): Promise<Published> {
  const document = (await (await fetch(`${url}/v1/openapi.json`)).json()) as Document
  const resolve = <T extends { $ref?: string }>(node: T): T => {
    if (node.$ref === undefined) return node
    const target = node.$ref.slice(2).split('/').reduce<unknown>((at, step) => (at as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')], document)
    return resolve(target as T)
  }
  // Formats of numbers say how wide they are; the bounds beside them say it as well.
  const ajv = new Ajv({ strict: false, formats: { int64: true, int32: true, double: true }, schemas: [{ ...document, $id: 'contract' }] })
  ajvFormats.default(ajv, ['date-time', 'date', 'uri'])
  const compiled = new Map<Schema, ValidateFunction>()
  const validatorOf = (schema: Schema) => {
    const validator = compiled.get(schema) ?? ajv.compile(anchored(schema) as object)
    compiled.set(schema, validator)
    return validator
  }
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method): PublishedOperation => {
      const described = item[method] as Described
      const shared = (item as unknown as { parameters?: Parameter[] }).parameters ?? []
      return {
        id: described.operationId,
        method,
        path,
        parameters: [...shared, ...(described.parameters ?? [])].map((parameter) => resolve(parameter as Parameter & { $ref?: string })),
        body: described.requestBody && { required: described.requestBody.required === true, content: described.requestBody.content },
        responses: Object.fromEntries(
          Object.entries(described.responses).map(([status, response]) => {
            const { headers = {}, ...rest } = resolve(response)
            return [status, { ...rest, headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, resolve(header as { $ref?: string }) as { required?: boolean; schema: Schema }])) }]
          }),
        ),
      }
    }),
  )
  return { operations, resolve, validatorOf }
}

interface Described {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, Response & { $ref?: string }>
}

interface Document {
  paths: Record<string, Record<string, Described>>
}

/** Makes the references of a part of the document lead into the whole of it. */
function anchored(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(anchored)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(Object.entries(node).flatMap(([key, value]) => {
    // The choice itself decides; `discriminator` only says where to look first.
    if (key === 'discriminator' || key === 'example') return []
    return [[key, key === '$ref' && typeof value === 'string' ? `contract${value}` : anchored(value)]]
  }))
}
