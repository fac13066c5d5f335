import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { MAX_BODY_BYTES, createSender } from '../../src/outgoing/send.ts'
import type { OutgoingResponse, Sender } from '../../src/outgoing/send.ts'

const MB = 1024 * 1024
const ALLOWED_MB = 20
const CHUNK = Buffer.alloc(64 * 1024, 'x')
// 32 KB that unpack to 32 MB; a gzip stream may hold any number of such members.
const BOMB = gzipSync(Buffer.alloc(32 * MB))

/** Answers that never end, as fast as they are read. */
const ENDLESS: Record<string, (response: ServerResponse) => void> = {
  '/plain': (response) => pour((chunk, next) => response.write(chunk, next), response),
  '/gzip': (response) => {
    response.setHeader('content-encoding', 'gzip')
    pour((_chunk, next) => response.write(BOMB, next), response)
  },
  '/interim': (response) => {
    const more = () => void (!response.destroyed && (response.writeProcessing(), setImmediate(more)))
    more()
  },
  '/headers': (response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\n')
    pour((_chunk, next) => response.socket?.write(`x-more: ${'x'.repeat(1000)}\r\n`, next), response)
  },
}

function pour(write: (chunk: Buffer, next: () => void) => void, response: ServerResponse): void {
  const more = () => void (!response.destroyed && response.socket?.writable && write(CHUNK, () => setImmediate(more)))
  more()
}

describe('answers that never end', function () {
  this.timeout(60_000)
  let server: Server
  let sender: Sender
  let url: string

  before(async () => {
    server = createServer((request, response) => {
      response.on('error', () => undefined)
      ENDLESS[request.url as string]?.(response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    sender = createSender({ allowPrivateNetworks: true })
  })
  after(async () => {
    sender.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const post = (path: string): Promise<OutgoingResponse> => sender.send({ method: 'POST', url: url + path, headers: {}, body: '{}', timeoutMs: 300 })

  for (const path of Object.keys(ENDLESS)) {
    it(`of the kind ${path} cost less than 20 MB, ten at a time, fifty in a row`, async () => {
      const tenAtATime = () => Promise.all(Array.from({ length: 10 }, () => post(path)))
      // Until the heap has its size: what the first requests load, compile and leave to the collector is no cost of the answer.
      for (let round = 0; round < 10; round++) await tenAtATime()
      const before = process.memoryUsage.rss()
      let highest = before
      const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 5)
      try {
        for (let round = 0; round < 5; round++) {
          for (const answer of await tenAtATime()) {
            if (path === '/plain' || path === '/gzip') expect(answer.kind === 'answer' && answer.body.length).to.equal(MAX_BODY_BYTES)
            else expect(answer.kind).to.equal('no_answer')
          }
        }
      } finally {
        clearInterval(watch)
      }
      expect((highest - before) / MB).to.be.lessThan(ALLOWED_MB)
    })
  }
})
