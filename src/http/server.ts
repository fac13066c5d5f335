import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Express } from 'express'
import { SECOND } from '../duration.ts'

const HEADERS_TIMEOUT_MS = 10 * SECOND
const REQUEST_TIMEOUT_MS = 30 * SECOND
// Longer than the 60 s that load balancers commonly keep a connection, so that they close it first.
const KEEP_ALIVE_TIMEOUT_MS = 65 * SECOND

// The connections whose last answer went out before the end was announced; long enough for what a caller had sent already.
const SWEEP_MS = 100
// The whole process has 10 s to end, and deliveries in flight come after this.
const LONGEST_REQUEST_MS = 3 * SECOND

/** Statuses and sentences for what Node's own parser refuses before any handler sees it. */
const PARSER_ANSWERS: Record<string, { status: string; error: string; code: string }> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', error: 'the headers are larger than 16 KB; send fewer or shorter ones', code: 'too_large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', error: 'the request did not arrive within 30 s', code: 'invalid_request' },
}
const MALFORMED = { status: '400 Bad Request', error: 'this is not a well-formed HTTP/1.1 request', code: 'invalid_request' }

/** An HTTP server around the app, with time limits, that keeps the error shape even for requests that cannot be parsed. */
export function createHttpServer(app: Express): Server {
  const server = createServer({ headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, app)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
    const { status, error: text, code } = PARSER_ANSWERS[error.code ?? ''] ?? MALFORMED
    const body = JSON.stringify({ error: text, code })
    socket.end(`HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`)
  })
  return server
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
