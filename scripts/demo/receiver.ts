import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A receiver of deliveries on this machine, and what it got. */
export interface Receiver {
  url: string
  /** One entry per request: its path and its JSON body. */
  received: { path: string; body: Record<string, unknown> }[]
  /** Resolves once `count` requests came to a path. @throws Error after `timeoutMs` */
  waitFor: (path: string, count: number, timeoutMs?: number) => Promise<void>
  close: () => Promise<void>
}

/** Starts a receiver that takes everything with 200. */
export async function startReceiver(): Promise<Receiver> {
  const received: Receiver['received'] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ path: request.url ?? '/', body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown> })
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async waitFor(path, count, timeoutMs = 10_000) {
      const deadline = Date.now() + timeoutMs
      const arrived = () => received.filter((request) => request.path === path).length
      while (arrived() < count) {
        if (Date.now() > deadline) throw new Error(`${arrived()} of ${count} requests arrived at ${path} within ${timeoutMs} ms`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
