import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request as it arrived. */
export interface Received {
  headers: IncomingHttpHeaders
  body: string
  /** message_ids of the events in the body, for one event or an array of them. */
  ids: string[]
  at: number
}

export type Answer = number | 'hang' | 'reset' | { status: number; headers?: Record<string, string>; body?: string }

/** A real HTTP server that keeps what it gets and answers as it is told. */
export interface Receiver {
  url: string
  requests: Received[]
  /** message_ids of the events that were answered with 2xx, in the order of arrival. */
  taken: () => string[]
  answer: (request: Received, index: number) => Answer | Promise<Answer>
  close: () => Promise<void>
}

export async function startReceiver(answer: Receiver['answer'] = () => 200): Promise<Receiver> {
  const taken: string[] = []
  const server = createServer((req, res) => {
    let body = ''
    req.setEncoding('utf8')
    req.on('data', (chunk: string) => (body += chunk))
    req.on('end', () => void reply())
    const reply = async (): Promise<void> => {
      const request: Received = { headers: req.headers, body, ids: idsOf(body), at: Date.now() }
      receiver.requests.push(request)
      const given = await receiver.answer(request, receiver.requests.length - 1)
      if (given === 'hang') return
      if (given === 'reset') return void req.socket.destroy()
      const { status, headers = {}, body: text = '' } = typeof given === 'number' ? { status: given, headers: {} } : given
      if (status < 300) taken.push(...request.ids)
      res.writeHead(status, headers).end(text)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    requests: [],
    taken: () => taken,
    answer,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

function idsOf(body: string): string[] {
  const parsed = JSON.parse(body) as { message_id: string } | { message_id: string }[]
  return (Array.isArray(parsed) ? parsed : [parsed]).map((event) => event.message_id)
}
