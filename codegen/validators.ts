import { Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import type { JsonObject, OpenApiDocument } from './document-types.ts'
import { operationsOf } from './document-types.ts'

/** The calls of applications: the express-openapi-validator costs more than all else that they do. */
const HOT_TAG = 'relay'

/** Writes one standalone validator per body that is checked by compiled code: plain functions, compiled once and committed. */
export function renderValidators(document: OpenApiDocument): string {
  const ajv = new Ajv({
    strict: false,
    discriminator: true,
    formats: { int64: true, int32: true, double: true },
    code: { source: true, esm: true, lines: true },
    schemas: [{ $id: 'contract', components: withoutMappings(document.components) as JsonObject }],
  })
  const exported = Object.fromEntries(compiledBodies(document).map(({ id, schema }) => [id, `contract#/components/schemas/${schema}`]))
  for (const ref of Object.values(exported)) ajv.getSchema(ref)
  const code = (standalone).default(ajv, exported)
  // Ajv writes `require` for its run-time parts even into ES modules.
  return `// @ts-nocheck\nimport { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\n${code.replace(/^"use strict";/, '')}\n`
}

/** Ajv reads the discriminator's values off the branches themselves, and refuses a `mapping`. */
function withoutMappings(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutMappings)
  if (typeof node !== 'object' || node === null) return node
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, key === 'discriminator' ? { propertyName: (value as JsonObject)['propertyName'] } : withoutMappings(value)]))
}

/**
 * Operations whose bodies are checked by compiled code, and the component schema of each: the hot ones, and those whose
 * body is a choice with a discriminator, where the express-openapi-validator mixes up the branches' required properties.
 */
function compiledBodies(document: OpenApiDocument): { id: string; schema: string }[] {
  return operationsOf(document)
    .filter(({ operation }) => operation.requestBody?.required)
    .map(({ operation }) => {
      const ref = operation.requestBody?.content['application/json']?.schema['$ref']
      return { id: operation.operationId, schema: String(ref).split('/').pop() as string, isHot: (operation['tags'] as string[]).includes(HOT_TAG) }
    })
    .filter(({ schema, isHot }) => isHot || document.components.schemas[schema]?.['discriminator'] !== undefined)
}

/** By discriminating property, the values that any choice of the contract knows. */
function discriminatorValues(document: OpenApiDocument): Record<string, string[]> {
  const values: Record<string, string[]> = {}
  for (const schema of Object.values(document.components.schemas)) {
    const discriminator = schema['discriminator'] as { propertyName: string; mapping: Record<string, string> } | undefined
    if (discriminator) values[discriminator.propertyName] = [...new Set([...(values[discriminator.propertyName] ?? []), ...Object.keys(discriminator.mapping)])]
  }
  return values
}

/** Writes the types of those validators. */
export function renderValidatorTypes(document: OpenApiDocument): string {
  const entries = compiledBodies(document).map(({ id, schema }) => `  ${id}: compiled.${id} as Validator<components['schemas']['${schema}']>,`)
  return `import * as compiled from './validators.ts'
import type { components } from './types.ts'

/** One fault that a compiled validator found. */
export interface ValidatorError {
  /** JSON pointer into the body. */
  instancePath: string
  keyword: string
  params: Record<string, unknown>
  message?: string
}

/** A compiled validator: says whether the value has the shape, and leaves what is wrong in \`errors\`. */
export interface Validator<T> {
  (value: unknown): value is T
  errors?: ValidatorError[] | null
}

/** Validators of the bodies that are checked by compiled code, by operationId. */
export const bodyValidators = {
${entries.join('\n')}
}

/** By discriminating property, the values that it may have. */
export const discriminatorValues: Record<string, readonly string[]> = ${JSON.stringify(discriminatorValues(document))}
`
}
