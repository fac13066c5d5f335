import { IncomingMessage, ServerResponse, createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Express } from 'express'
import { SECOND } from '../duration.ts'

/** What a connection may take before it is ended. */
export interface ConnectionLimits {
  headersTimeoutMs: number
  requestTimeoutMs: number
  keepAliveTimeoutMs: number
  /** How often it is looked for connections past these times. */
  checkEveryMs: number
  /** Further connections are closed at once. */
  mostConnections: number
}

const LIMITS: ConnectionLimits = {
  headersTimeoutMs: 10 * SECOND,
  requestTimeoutMs: 30 * SECOND,
  // Longer than the 60 s that load balancers commonly keep a connection, so that they close it first.
  keepAliveTimeoutMs: 65 * SECOND,
  // Node's own 30 s would let a silent connection live four times as long as it may.
  checkEveryMs: 2 * SECOND,
  // An idle connection costs some 10 KB: 50 MB at most.
  mostConnections: 5000,
}

// The connections whose last answer went out before the end was announced; long enough for what a caller had sent already.
const SWEEP_MS = 100
// The whole process has 10 s to end, and deliveries in flight come after this.
const LONGEST_REQUEST_MS = 3 * SECOND

/** Statuses and sentences for what Node's own parser refuses before any handler sees it. */
const PARSER_ANSWERS: Record<string, { status: string; error: string; code: string }> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', error: 'the headers are larger than 16 KB; send fewer or shorter ones', code: 'too_large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', error: 'the request did not arrive in time: 10 s for its headers, 30 s in all', code: 'invalid_request' },
}
const MALFORMED = { status: '400 Bad Request', error: 'this is not a well-formed HTTP/1.1 request', code: 'invalid_request' }

/** An HTTP server around the app, with time limits, that keeps the error shape even for requests that cannot be parsed. */
export function createHttpServer(app: RequestListener, limits = LIMITS): Server {
  const server = createServer(
    {
      ...('request' in app ? bornInto(app as Express) : {}),
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    app,
  )
  server.maxConnections = limits.mostConnections
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
    const { status, error: text, code } = PARSER_ANSWERS[error.code ?? ''] ?? MALFORMED
    const body = JSON.stringify({ error: text, code })
    socket.end(`HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`)
  })
  return server
}

/**
 * Express gives every request and every answer another prototype, which costs more than all of its routing. Those that are born with it
 * it leaves alone.
 */
function bornInto(app: Express): { IncomingMessage: typeof IncomingMessage; ServerResponse: typeof ServerResponse } {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request)
  Object.setPrototypeOf(ExpressResponse.prototype, app.response)
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype })
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }
}

/** Takes no new connection, lets the requests under way finish, and closes; what still runs after a few seconds is cut. */
export async function closeHttpServer(server: Server): Promise<void> {
  // Callers that keep sending on open connections would hold the server open for ever: each answer from now on is the last of its connection.
  server.prependListener('request', (_req, res: ServerResponse) => res.setHeader('Connection', 'close'))
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  const impatience = setTimeout(() => server.closeAllConnections(), LONGEST_REQUEST_MS)
  await closed
  clearInterval(sweep)
  clearTimeout(impatience)
}
