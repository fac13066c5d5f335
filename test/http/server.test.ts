import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import { createHttpServer } from '../../src/http/server.ts'
import { eventually } from '../admin/support/eventually.ts'

const LIMITS = { headersTimeoutMs: 300, requestTimeoutMs: 600, keepAliveTimeoutMs: 300, checkEveryMs: 50, mostConnections: 20 }

describe('a connection', () => {
  let server: Server
  const sockets = new Set<Socket>()

  before(async () => {
    server = createHttpServer((req, res) => void req.resume().on('end', () => res.end('ok')), LIMITS)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    await eventually('no connection is left', () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count === 0))))
  })
  after(() => server.close())

  /** Opens a connection. @returns it, and what it is answered until it is closed */
  const open = async (text: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    sockets.add(socket)
    let answer = ''
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('error', () => {})
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    await Promise.race([closed, once(socket, 'connect').catch(() => {})])
    socket.write(text)
    return { socket, answer: () => answer, closed }
  }

  for (const [name, text] of [
    ['without a word', ''],
    ['with half of its headers', 'GET / HTTP/1.1\r\nHost: x\r\n'],
    ['with half of its body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf'],
  ] as const) {
    it(`is ended in time ${name}, in the one error shape`, async () => {
      const { closed, answer } = await open(text)
      await closed
      expect(answer()).to.match(/^HTTP\/1\.1 408 [^]*\{"error":"the request did not arrive in time/)
    })
  }

  it('is ended in time although a header drips in now and then', async () => {
    const { socket, closed, answer } = await open('GET / HTTP/1.1\r\nHost: x\r\n')
    const dripping = setInterval(() => socket.write('X-A: b\r\n'), 50)
    await closed
    clearInterval(dripping)
    expect(answer()).to.match(/^HTTP\/1\.1 408 /)
  })

  it('is kept for the next request, and closed when none comes', async () => {
    const { socket, closed, answer } = await open('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await eventually('the first answer', () => answer().endsWith('ok'))
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await closed
    expect(answer().match(/HTTP\/1\.1 200 OK/g)).to.have.length(2)
  })

  it('beyond the most that may be open is closed at once, and the next after one has gone is served', async () => {
    const request = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const held = await Promise.all(Array.from({ length: LIMITS.mostConnections }, () => open('GET / HT')))
    const surplus = await open(request)
    await surplus.closed
    expect(surplus.answer()).to.equal('')
    held[0]?.socket.destroy()
    await eventually('a place is free', () => new Promise((resolve) => server.getConnections((_error, count) => resolve(count < LIMITS.mostConnections))))
    const served = await open(request)
    await served.closed
    expect(served.answer()).to.match(/^HTTP\/1\.1 200 /)
  })
})
