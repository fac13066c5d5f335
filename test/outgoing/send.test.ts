import { expect } from 'chai'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { MAX_BODY_BYTES, createSender } from '../../src/outgoing/send.ts'
import type { Sender } from '../../src/outgoing/send.ts'

describe('send', () => {
  let server: Server
  let sender: Sender
  let hits = 0
  let answer: RequestListener

  beforeEach(async () => {
    hits = 0
    server = createServer((req, res) => {
      hits += 1
      answer(req, res)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    sender = createSender({ allowPrivateNetworks: true })
  })

  afterEach(async () => {
    sender.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const url = (host = '127.0.0.1') => `http://${host}:${(server.address() as AddressInfo).port}/hook`
  const post = (to = url(), timeoutMs = 2000) => sender.send({ method: 'POST', url: to, headers: { 'content-type': 'text/plain', 'x-a': 'b' }, body: 'hello', timeoutMs })

  it('sends method, headers and body and reads the answer whatever its status', async () => {
    answer = (req, res) => {
      let body = ''
      req.on('data', (chunk) => (body += chunk))
      req.on('end', () => res.writeHead(422, { 'retry-after': '7' }).end([req.method, req.headers['x-a'], body].join(' ')))
    }
    const response = await post()
    expect(response).to.deep.include({ kind: 'answer', status: 422, body: 'POST b hello' })
    expect(response.kind === 'answer' && response.headers['retry-after']).to.equal('7')
  })

  it('writes each character of a header as the one byte that it is in Latin-1', async () => {
    const seen: string[] = []
    answer = (req, res) => {
      seen.push(req.headers['x-word'] as string)
      res.end()
    }
    const word = Array.from({ length: 0x80 }, (_, n) => String.fromCharCode(0x80 + n)).join('')
    for (const body of ['hello', 'schön ✓', Buffer.from('bytes')]) {
      await sender.send({ method: 'POST', url: url(), headers: { 'x-word': word }, body, timeoutMs: 2000 })
    }
    expect(seen).to.deep.equal([word, word, word])
  })

  for (const status of [301, 302, 307, 308]) {
    it(`does not follow a ${status}`, async () => {
      answer = (_req, res) => res.writeHead(status, { location: url() }).end()
      expect(await post()).to.include({ kind: 'answer', status })
      expect(hits).to.equal(1)
    })
  }

  it('does not retry by itself', async () => {
    answer = (_req, res) => res.writeHead(503).end()
    await post()
    expect(hits).to.equal(1)
  })

  it('keeps the first 64 KB of an endless answer', async () => {
    answer = (_req, res) => {
      res.writeHead(200)
      const more = () => !res.destroyed && res.write('x'.repeat(16_384), more)
      more()
    }
    const response = await post()
    expect(response.kind === 'answer' && response.body.length).to.equal(MAX_BODY_BYTES)
  })

  it('keeps the first 64 KB of what a compressed answer unpacks to', async () => {
    answer = (_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(20_000_000)))
    const response = await post()
    expect(response.kind === 'answer' && response.body.length).to.equal(MAX_BODY_BYTES)
  })

  it('reports a timeout, a reset and a refused connection as no answer', async () => {
    answer = () => undefined
    expect(await post(url(), 50)).to.include({ kind: 'no_answer' })
    answer = (req) => req.socket.destroy()
    expect(await post()).to.include({ kind: 'no_answer' })
    expect(await post('http://127.0.0.1:1/')).to.include({ kind: 'no_answer' })
  })

  it('ends when it is aborted', async () => {
    answer = () => undefined
    const abort = new AbortController()
    const sent = sender.send({ method: 'POST', url: url(), headers: {}, body: '', timeoutMs: 5000 }, abort.signal)
    setTimeout(() => abort.abort(), 20)
    expect(await sent).to.include({ kind: 'no_answer' })
  })

  it('never reaches a private address unless that is allowed, by literal or by name', async () => {
    answer = (_req, res) => res.end()
    const guarded = createSender({ allowPrivateNetworks: false })
    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433']) {
      expect(await guarded.send({ method: 'POST', url: url(host), headers: {}, body: '', timeoutMs: 2000 }), host).to.include({ kind: 'refused' })
    }
    guarded.close()
    expect(hits).to.equal(0)
  })
})
