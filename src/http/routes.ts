import type { RequestHandler, Router } from 'express'
import document from '../contract/document.json' with { type: 'json' }
import { OPERATIONS } from '../contract/operations.ts'
import type { Operation } from '../contract/operations.ts'
import { SignalbookError } from '../error.ts'
import type { BodyRules } from './body.ts'
import { validatorOf } from './compiled-body.ts'

/** `/v1/events/{namespace}` → `/v1/events/:namespace` */
export function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** What the contract says of an operation's body. */
export function bodyRulesOf(operation: Operation): BodyRules {
  const paths = document.paths as unknown as Record<string, Record<string, { requestBody?: { required?: boolean; content: object } }>>
  const body = paths[operation.path]?.[operation.method]?.requestBody
  return { mediaTypes: Object.keys(body?.content ?? {}), required: body?.required === true, isBatch: operation.id === 'batch' }
}

/** Puts the handlers that `chain` makes before each operation of the contract, and answers 405 for its paths' other methods. */
export function mountOperations(router: Router, chain: (operation: Operation) => RequestHandler[]): void {
  const methods = new Map<string, string[]>()
  for (const operation of OPERATIONS.toSorted((one, other) => hotFirst(one, other) || fixedPartsFirst(one, other))) {
    router[operation.method as 'get'](expressPath(operation.path), ...chain(operation))
    methods.set(operation.path, [...(methods.get(operation.path) ?? []), operation.method.toUpperCase()])
  }
  for (const [path, allowed] of methods) router.all(expressPath(path), refuseOtherMethods(allowed))
}

/** The router tries one path after the other, and the calls of applications come a thousand times as often as all others. */
function hotFirst(one: Operation, other: Operation): number {
  return Number(validatorOf(other) !== undefined) - Number(validatorOf(one) !== undefined)
}

/** `/events/{name}/versions` must be tried before `/events/{name}/{version}`, wherever they stand in the contract. */
function fixedPartsFirst(one: Operation, other: Operation): number {
  const rank = ({ path }: Operation) => path.replaceAll('{', '\uffff')
  return rank(one) < rank(other) ? -1 : Number(rank(one) > rank(other))
}

function refuseOtherMethods(allowed: string[]): RequestHandler {
  const listed = (allowed.includes('GET') ? ['HEAD', ...allowed] : allowed).sort().join(', ')
  return (req, res, next) => {
    if (allowed.includes(req.method)) return next()
    res.setHeader('Allow', listed)
    throw new SignalbookError('method_not_allowed', `${req.method} is not possible here; ${req.path} answers ${listed}`)
  }
}
