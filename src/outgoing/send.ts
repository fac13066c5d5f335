import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import got from 'got'
import { AddressRefusedError, explainRefusedUrl, guardedLookup } from './address-guard.ts'
import type { Resolve } from './address-guard.ts'

/** One HTTP request to somebody else's server. */
export interface OutgoingRequest {
  method: 'POST' | 'PUT' | 'PATCH' | 'GET'
  url: string
  headers: Record<string, string>
  body: string | Buffer
  timeoutMs: number
}

/** What came of it. Only the first `MAX_BODY_BYTES` of an answer's body are read. */
export type OutgoingResponse =
  | { kind: 'answer'; status: number; headers: Record<string, string>; body: string }
  /** No answer: connection refused or reset, timeout, DNS. */
  | { kind: 'no_answer'; message: string }
  /** Not sent: the address is not allowed or the URL is none. */
  | { kind: 'refused'; message: string }

/** Opens all connections to servers of others. */
export interface Sender {
  send(request: OutgoingRequest, signal?: AbortSignal): Promise<OutgoingResponse>
  close(): void
}

/** An answer's body is only read for its reasons; an endless one must not fill the memory. */
export const MAX_BODY_BYTES = 64 * 1024

/**
 * Makes the sender. Redirects are not followed and nothing is retried: the caller judges every answer.
 * @param options `resolve` asks another DNS than the system's
 */
export function createSender(options: { allowPrivateNetworks: boolean; resolve?: Resolve }): Sender {
  const lookup = options.allowPrivateNetworks ? {} : { lookup: guardedLookup(options.resolve) }
  const agent = { http: new HttpAgent({ keepAlive: true, ...lookup }), https: new HttpsAgent({ keepAlive: true, ...lookup }) }

  async function send(request: OutgoingRequest, signal?: AbortSignal): Promise<OutgoingResponse> {
    const url = URL.parse(request.url)
    if (!url) return { kind: 'refused', message: 'the URL cannot be read' }
    const refusal = explainRefusedUrl(url, options)
    if (refusal !== undefined) return { kind: 'refused', message: refusal }
    return new Promise((resolve) => {
      const stream = got.stream(url, {
        method: request.method,
        headers: request.headers,
        // Bytes and never a text: Node writes the head and a text in one encoding, the text's, which would change a header outside ASCII.
        ...(request.method === 'GET' ? {} : { body: typeof request.body === 'string' ? Buffer.from(request.body) : request.body }),
        agent,
        retry: { limit: 0 },
        followRedirect: false,
        throwHttpErrors: false,
        timeout: { request: request.timeoutMs },
        ...(signal ? { signal } : {}),
      })
      let answer: { status: number; headers: Record<string, string> } | undefined
      const chunks: Buffer[] = []
      let bytes = 0
      const finish = (): void => {
        if (answer) resolve({ kind: 'answer', ...answer, body: Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString('utf8') })
      }
      stream.on('response', (response: { statusCode: number; headers: Record<string, string | string[] | undefined> }) => {
        answer = { status: response.statusCode, headers: flatten(response.headers) }
      })
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        bytes += chunk.length
        if (bytes < MAX_BODY_BYTES) return
        finish()
        stream.destroy()
      })
      stream.on('end', finish)
      stream.on('error', (error) => resolve(describe(error)))
      stream.on('close', () => resolve({ kind: 'no_answer', message: 'the connection was closed' }))
    })
  }

  return {
    send,
    close() {
      agent.http.destroy()
      agent.https.destroy()
    },
  }
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value
  return flat
}

function describe(error: Error): OutgoingResponse {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at instanceof AddressRefusedError || (at as { code?: unknown }).code === 'ADDRESS_REFUSED') return { kind: 'refused', message: at.message }
  }
  return { kind: 'no_answer', message: error.message.slice(0, 300) }
}
