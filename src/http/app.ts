import express from 'express'
import type { ErrorRequestHandler, Express, RequestHandler, Response } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import type { Logger } from 'pino'
import { OPERATIONS } from '../contract/operations.ts'
import type { Operation } from '../contract/operations.ts'
import { notFound } from '../error.ts'
import { authorise } from './auth.ts'
import type { AuthDeps } from './auth.ts'
import { readBody } from './body.ts'
import { contextOf, startContext } from './context.ts'
import { serveDocs } from './docs.ts'
import { isFault, toErrorAnswer } from './errors.ts'
import type { Handler, Handlers, Input, OperationId } from './operation.ts'
import { logRequests } from './request-log.ts'
import { createResponseCheck } from './response-check.ts'
import type { ResponseCheck } from './response-check.ts'
import { pathDocument } from './path-document.ts'
import { bodyRulesOf, mountOperations } from './routes.ts'
import { assertBody, validatorOf } from './compiled-body.ts'
import { assertParameters } from './compiled-parameters.ts'

export interface AppDeps extends AuthDeps {
  handlers: Handlers
  log: Logger
  /** Gets a line for each request. */
  requestLog: Logger
  trustProxy: boolean | number | string[]
  /** Asks the database dialect whether a fault is one that passes. */
  isUnavailable: (error: unknown) => boolean
  /** Holds every answer against the contract; the tests switch it on, since it costs as much as the answer itself. */
  validateResponses: boolean
}

/**
 * The HTTP side of the contract: every operation is routed, authorised, read and validated as the document says, and
 * handed to the handler of its operationId.
 * @throws Error at once when an operation has no handler, or a handler no operation
 */
export function createApp(deps: AppDeps): Express {
  assertComplete(deps.handlers)
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('strict routing')
  app.enable('case sensitive routing')
  app.set('trust proxy', deps.trustProxy)
  app.set('query parser', 'simple')
  app.use(startContext(deps.now), logRequests(deps.requestLog), headAsGet)

  const check = deps.validateResponses ? createResponseCheck() : undefined
  const validated = validatedPaths(deps, check)
  const gate = express.Router({ strict: true, caseSensitive: true })
  mountOperations(gate, (operation) => {
    const rules = bodyRulesOf(operation)
    const steps = [authorise(deps, operation), ...(rules.mediaTypes.length > 0 ? readBody(rules) : [])]
    const validator = validatorOf(operation)
    if (!validator) return [...steps, validated(operation.path)]
    return [...steps, assertParameters(operation), assertBody(validator), handlerOf(deps.handlers, operation, check, sendJson)]
  })
  app.use(gate)
  app.use(serveDocs)
  app.use(refuseUnknownPaths)
  app.use(answerErrors(deps, check))
  return app
}

/**
 * The express-openapi-validator and the handlers behind it, one for each path and made when the path is first asked for: one for
 * the whole contract tries the pattern of every path, compiled anew, at every request.
 */
function validatedPaths(deps: AppDeps, check: ResponseCheck | undefined): (path: string) => RequestHandler {
  const routers = new Map<string, express.Router>()
  const make = (path: string): express.Router => {
    const router = express.Router({ strict: true, caseSensitive: true })
    router.use(
      OpenApiValidator.middleware({
        apiSpec: pathDocument(path) as never,
        // The document was validated when it was generated.
        validateApiSpec: false,
        validateSecurity: false,
        validateFormats: false,
        validateRequests: { allErrors: true, removeAdditional: false },
        validateResponses: deps.validateResponses ? { removeAdditional: false } : false,
        operationHandlers: {
          basePath: '/',
          resolver: (_basePath: string, route: { openApiRoute: string; method: string }) => handlerFor(deps.handlers, route, check),
        },
      }),
    )
    routers.set(path, router)
    return router
  }
  return (path) => (req, res, next) => (routers.get(path) ?? make(path))(req, res, next)
}

function handlerFor(handlers: Handlers, route: { openApiRoute: string; method: string }, check: ResponseCheck | undefined): RequestHandler {
  const operation = OPERATIONS.find(({ path, method }) => path === route.openApiRoute && method === route.method.toLowerCase())
  if (!operation) throw new Error(`no operation in the contract for ${route.method} ${route.openApiRoute}`)
  return handlerOf(handlers, operation, check)
}

function handlerOf(handlers: Handlers, operation: Operation, check: ResponseCheck | undefined, answer = send): RequestHandler {
  const handler = handlers[operation.id as OperationId] as unknown as Handler<OperationId>
  return async (req, res) => {
    const { facts, actor, snapshot } = contextOf(res)
    const output: HandlerOutput = await handler({
      path: req.params,
      query: req.query,
      header: req.headers,
      body: req.body,
      request: facts,
      actor,
      snapshot,
    } as unknown as Input<OperationId>)
    check?.(operation, output.status, output.body)
    answer(res, output)
  }
}

interface HandlerOutput {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

function send(res: Response, output: HandlerOutput): void {
  res.status(output.status).set(output.headers ?? {})
  if (output.body === undefined) res.end()
  else if (typeof output.body === 'string') res.send(output.body)
  else res.json(output.body)
}

/** The answer of a hot operation: express's own way to send JSON takes longer than all the rest of the answer. */
function sendJson(res: Response, { status, headers = {}, body }: HandlerOutput): void {
  const text = JSON.stringify(body)
  res.statusCode = status
  for (const name in headers) res.setHeader(name, headers[name] as string)
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(text))
  res.end(text)
}

// Node leaves the body out of the answer by itself, since it remembers the method that was sent.
const headAsGet: RequestHandler = (req, _res, next) => {
  if (req.method === 'HEAD') req.method = 'GET'
  next()
}

const refuseUnknownPaths: RequestHandler = () => {
  throw notFound('there is no such path; GET /v1/openapi.json lists them all')
}

function answerErrors(deps: AppDeps, check: ResponseCheck | undefined): ErrorRequestHandler {
  return (error, _req, res, next) => {
    if (res.headersSent) return next(error)
    const { facts, operation } = contextOf(res)
    if (isFault(error, deps.isUnavailable)) deps.log.error({ err: error, request_id: facts.id }, 'request failed')
    const answer = toErrorAnswer(error, facts.id, deps.isUnavailable)
    if (operation) check?.(operation, answer.status, answer.body)
    // Written past the response validation: it would hold a failed answer against the success schema once more.
    res.status(answer.status).set(answer.headers).set('Content-Type', 'application/json; charset=utf-8').end(JSON.stringify(answer.body))
  }
}

function assertComplete(handlers: Handlers): void {
  const wanted = new Set(OPERATIONS.map((operation) => operation.id))
  const missing = [...wanted].filter((id) => !(id in handlers))
  const surplus = Object.keys(handlers).filter((id) => !wanted.has(id))
  if (missing.length > 0 || surplus.length > 0) {
    throw new Error(`handlers and contract differ: without handler ${missing.join(', ') || 'none'}; not in the contract ${surplus.join(', ') || 'none'}`)
  }
}
