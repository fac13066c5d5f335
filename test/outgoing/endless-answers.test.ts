import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { MAX_BODY_BYTES } from '../../src/outgoing/send.ts'
import type { SenderMemory } from './support/sender-memory.ts'

const MB = 1024 * 1024
const ALLOWED_MB = 20
// Only an answer that never begins ends by its timeout; the others are cut long before.
const timeoutMs = (path: string) => (path === '/interim' ? 200 : 5000)
const WEIGHING = new URL('support/sender-memory.ts', import.meta.url)
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
  let url: string

  before(async () => {
    server = createServer((request, response) => {
      response.on('error', () => undefined)
      ENDLESS[request.url as string]?.(response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const weigh = async (path: string): Promise<SenderMemory> => {
    const child = fork(WEIGHING, [url + path, String(timeoutMs(path))])
    const ended = once(child, 'exit')
    const [memory] = (await once(child, 'message')) as [SenderMemory]
    await ended
    return memory
  }

  for (const path of Object.keys(ENDLESS)) {
    it(`of the kind ${path} cost less than 20 MB, ten at a time, fifty in a row`, async () => {
      const { grownBytes, answers } = await weigh(path)
      const isBody = path === '/plain' || path === '/gzip'
      expect(answers).to.deep.equal(Array.from({ length: 50 }, () => (isBody ? { kind: 'answer', bytes: MAX_BODY_BYTES } : { kind: 'no_answer', bytes: 0 })))
      expect(grownBytes / MB).to.be.lessThan(ALLOWED_MB)
    })
  }
})
