import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A receiver of deliveries that fails some of them. */
export interface FlakyReceiver {
  url: string
  /** Of everything that it took with 200. */
  messageIds: Set<string>
  close: () => Promise<void>
}

/** @param failing which part of the requests is answered with 503 */
export async function startFlakyReceiver(failing: number): Promise<FlakyReceiver> {
  const messageIds = new Set<string>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (Math.random() < failing) {
        response.writeHead(503, { 'Retry-After': '0' }).end()
        return
      }
      for (const id of messageIdsOf(JSON.parse(Buffer.concat(chunks).toString('utf8')))) messageIds.add(id)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    messageIds,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** One event, an array of events, or an object that holds such an array. */
function messageIdsOf(body: unknown): string[] {
  const events = Array.isArray(body) ? body : (Object.values(body as object).find((value) => Array.isArray(value)) ?? [body])
  return (events as { message_id: string }[]).map((event) => event.message_id)
}
