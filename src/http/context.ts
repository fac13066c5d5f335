import { randomUUID } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import type { Operation } from '../contract/operations.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import type { Actor } from '../store/actor.ts'
import type { RequestFacts } from './operation.ts'

/** What the middlewares learn of a request, one after the other. */
export interface RequestContext {
  facts: RequestFacts
  /** Set once the path and method are known. */
  operation?: Operation
  /** Set once the key was looked up. */
  snapshot?: Snapshot
  actor?: Actor
}

const ACCEPTED_ID = /^[A-Za-z0-9._-]{1,64}$/

/** The context of a request. */
export function contextOf(res: Response): RequestContext {
  return res.locals as RequestContext
}

/** Starts the context: names the request and puts its id and the fixed headers on the answer. */
export function startContext(now: () => number): RequestHandler {
  return (req, res, next) => {
    const sent = req.headers['x-request-id']
    const id = typeof sent === 'string' && ACCEPTED_ID.test(sent) ? sent : randomUUID()
    ;(res.locals as RequestContext).facts = factsOf(req, id, now())
    res.setHeader('X-Request-Id', id)
    res.setHeader('X-Content-Type-Options', 'nosniff')
    res.setHeader('Cache-Control', 'no-store')
    next()
  }
}

function factsOf(req: Request, id: string, receivedAt: number): RequestFacts {
  // Only a forwarded request needs express to weigh whom to believe.
  const ip = req.headers['x-forwarded-for'] === undefined ? req.socket.remoteAddress : req.ip
  return { id, ip, userAgent: req.headers['user-agent']?.slice(0, 1000), url: req.originalUrl, receivedAt }
}
