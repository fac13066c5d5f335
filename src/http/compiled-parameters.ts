import type { RequestHandler } from 'express'
import document from '../contract/document.json' with { type: 'json' }
import type { Operation } from '../contract/operations.ts'
import { invalid } from '../error.ts'
import { detailOf, sentenceOf } from './contract-words.ts'

interface Parameter {
  $ref?: string
  name: string
  in: string
  schema: { maxLength?: number }
}

/** Holds query and headers against the contract for operations that pass by the express-openapi-validator. */
export function assertParameters(operation: Operation): RequestHandler {
  const parameters = parametersOf(operation)
  const known = new Set(parameters.flatMap(({ in: place, name }) => (place === 'query' ? [name] : [])))
  const headers = parameters.flatMap(({ in: place, name, schema }) => (place === 'header' ? [{ name, key: name.toLowerCase(), maxLength: schema.maxLength ?? Infinity }] : []))
  return (req, _res, next) => {
    // Reading the query costs more than all the rest of this, and calls of applications have none.
    const unknown = req.url.includes('?') ? Object.keys(req.query).find((name) => !known.has(name)) : undefined
    if (unknown !== undefined) refuse(`the query parameter ${unknown}`, unknown, 'Unknown query parameter')
    for (const { name, key, maxLength } of headers) {
      if ((req.headers[key]?.length ?? 0) > maxLength) refuse(`the header ${name}`, key, `must NOT have more than ${maxLength} characters`)
    }
    next()
  }
}

function refuse(name: string, key: string, message: string): never {
  const fault = { name, path: `/${key}`, message }
  throw invalid(sentenceOf(fault), [detailOf(fault)])
}

function parametersOf({ path, method }: Operation): Parameter[] {
  const item = (document.paths as unknown as Record<string, Record<string, unknown>>)[path] ?? {}
  const own = (item[method] as { parameters?: Parameter[] } | undefined)?.parameters ?? []
  const shared = document.components.parameters as unknown as Record<string, Parameter>
  return [...((item['parameters'] as Parameter[] | undefined) ?? []), ...own].map((parameter) => shared[parameter.$ref?.split('/').pop() ?? ''] ?? parameter)
}
