import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import { contextOf } from './context.ts'

/** Writes one line per answered request. It names neither headers nor bodies nor the query, which can hold secrets and personal data. */
export function logRequests(log: Logger): RequestHandler {
  return (req, res, next) => {
    const startedAt = process.hrtime.bigint()
    res.once('close', () => {
      const { facts, operation, actor } = contextOf(res)
      log.info(
        {
          request_id: facts.id,
          method: req.method,
          path: operation?.path ?? req.path.slice(0, 200),
          operation: operation?.id,
          status: res.statusCode,
          aborted: res.writableFinished ? undefined : true,
          key_id: actor?.keyId,
          ip: facts.ip,
          duration_ms: Math.round(Number(process.hrtime.bigint() - startedAt) / 1000) / 1000,
        },
        'request',
      )
    })
    next()
  }
}
