import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Response } from 'express'
import type { RequestContext } from './context.ts'

/** Measures every answered request from its headers to the end of its answer, whichever way it takes through the app. */
export function timeRequests(server: Server, answered: (operation: string, status: number, ms: number) => void): void {
  server.prependListener('request', (_req: IncomingMessage, res: ServerResponse) => {
    const startedAt = performance.now()
    res.once('close', () => {
      // What the app has left on the answer; absent when it never saw the request.
      const context = (res as Partial<Response>).locals as Partial<RequestContext> | undefined
      answered(context?.operation?.id ?? 'none', res.statusCode, performance.now() - startedAt)
    })
  })
}
