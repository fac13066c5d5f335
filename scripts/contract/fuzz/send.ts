import { Agent, request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { FuzzRequest } from './request.ts'

export interface FuzzAnswer {
  /** 0 when the connection ended without an answer. */
  status: number
  headers: IncomingHttpHeaders
  text: string
}

const agent = new Agent({ keepAlive: true })
const TIMEOUT_MS = 90_000

/** Sends a request as it is: unlike `fetch`, this neither tidies the path nor decides about headers. */
export function send(url: string, key: string, { method, path, headers, body }: Pick<FuzzRequest, 'method' | 'path' | 'headers' | 'body'>): Promise<FuzzAnswer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const none = (why: unknown) => resolve({ status: 0, headers: {}, text: String(why) })
    try {
      const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
      const call = request({ agent, hostname, port, method, path, headers: { Authorization: `Bearer ${key}`, ...length, ...headers }, timeout: TIMEOUT_MS }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString('utf8') }))
        answer.on('error', none)
      })
      call.on('error', none)
      call.on('timeout', () => call.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)))
      call.end(body)
    } catch (error) {
      none(error)
    }
  })
}
