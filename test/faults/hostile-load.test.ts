import { execFileSync } from 'node:child_process'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { amount } from '../support/amount.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { bootstrap } from '../support/server.ts'
import { startProcess } from '../support/two-processes.ts'
import type { CalledProcess } from '../support/two-processes.ts'

const ROUNDS = amount('O3_ROUNDS', 1, 5)
const AT_ONCE = amount('O3_AT_ONCE', 4, 8)
const MIB = 1024 * 1024
const MOST_GROWTH_BYTES = 150 * MIB

interface Hostile {
  path: string
  body: Buffer
  headers?: Record<string, string>
  /** Beside 503, which says that too much comes at once. */
  status: number
}

const json = (text: string) => Buffer.from(text)
const items = (item: string, bytes: number) => `{"source":"web","events":[${Array<string>(Math.floor(bytes / (item.length + 1))).fill(item).join(',')}]}`

const HOSTILE: Hostile[] = [
  { path: '/v1/batch', body: gzipSync(Buffer.alloc(64 * MIB, 32)), headers: { 'Content-Encoding': 'gzip' }, status: 413 },
  { path: '/v1/track', body: gzipSync(Buffer.alloc(64 * MIB, 32)), headers: { 'Content-Encoding': 'gzip' }, status: 413 },
  { path: '/v1/track', body: Buffer.alloc(20 * MIB, 32), status: 413 },
  { path: '/v1/batch', body: json('{"a":'.repeat(700_000)), status: 400 },
  { path: '/v1/batch', body: json(`{"source":"web","events":${'['.repeat(50_000)}${']'.repeat(50_000)}}`), status: 400 },
  { path: '/v1/batch', body: json(items('{"type":"page","name":"x"}', 3.9 * MIB)), status: 400 },
  { path: '/v1/batch', body: json(items('{}', 3.9 * MIB)), status: 400 },
  { path: '/v1/track', body: json(`{"source":"web","event_name":"x","properties":{${Array.from({ length: 50_000 }, (_, index) => `"k${index}":1`).join(',')}}}`), status: 413 },
  { path: '/v1/events', body: json(`{"namespace":"a","name":"b","properties":{${Array.from({ length: 20_000 }, (_, index) => `"k${index}":{"type":"string"}`).join(',')}}}`), status: 400 },
]

onEachEngine((engine) => {
  describe('a service under hostile load', function () {
    this.timeout(300_000)
    let home: TestDatabase
    let service: CalledProcess

    before(async () => {
      home = await createTestDatabase(engine)
      service = await startProcess(home)
      await bootstrap(service)
      expect((await service.call('post', '/v1/admin/sources').send({ name: 'web' })).status).to.equal(201)
    })
    after(async () => {
      await service.process.terminate()
      await home.remove()
    })

    const send = async ({ path, body, headers }: Hostile) => {
      const answer = await fetch(service.url + path, { method: 'POST', body: body as never, headers: { Authorization: `Bearer ${service.adminKey}`, 'Content-Type': 'application/json', ...headers } })
      return { status: answer.status, text: await answer.text() }
    }
    const residentBytes = () => 1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(service.process.child.pid)], { encoding: 'utf8' }))
    const healthMs = async () => {
      const startedAt = performance.now()
      expect((await fetch(`${service.url}/v1/health`)).status).to.equal(200)
      return performance.now() - startedAt
    }

    it(`refuses each of ${HOSTILE.length} kinds in the error shape, and grows by less than 150 MB while ${AT_ONCE} come at once`, async () => {
      // A service that has worked before: code compiled, pools filled, the heap as large as ordinary calls make it.
      for (let count = 0; count < 200; count++) await send({ path: '/v1/page', body: json('{"source":"web","name":"Home"}'), status: 202 })
      const batch = { path: '/v1/batch', body: json(items('{"type":"page","name":"Home","properties":{"title":"Welcome"}}', 100_000)), status: 202 }
      for (let count = 0; count < 20; count++) await Promise.all(Array.from({ length: AT_ONCE }, () => send(batch)))
      const before = residentBytes()
      let most = before
      const watch = setInterval(() => (most = Math.max(most, residentBytes())), 100)
      for (let round = 0; round < ROUNDS; round++) {
        for (const hostile of HOSTILE) {
          const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(hostile)))
          for (const { status, text } of answers) {
            expect([hostile.status, 503], text).to.include(status)
            expect((JSON.parse(text) as { error: string }).error).to.be.a('string')
            expect(text).not.to.match(/node_modules|at \w+ \(|\.ts:/)
          }
        }
      }
      clearInterval(watch)
      expect(await healthMs()).to.be.lessThan(1000)
      expect(most - before).to.be.lessThan(MOST_GROWTH_BYTES)
    })

    it('answers health in under a second beside 200 slow sockets', async () => {
      const { port } = new URL(service.url)
      const starts = ['', 'G', 'GET /v1/health HTTP/1.1\r\nHost: x\r\n', `POST /v1/track HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.adminKey}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`]
      const sockets = await Promise.all(
        Array.from({ length: 200 }, (_, index) => new Promise<Socket>((resolve, reject) => {
          const socket = connect(Number(port), '127.0.0.1', () => {
            socket.write(starts[index % starts.length] as string)
            resolve(socket)
          })
          socket.on('error', reject)
        })),
      )
      try {
        for (let round = 0; round < 10; round++) expect(await healthMs()).to.be.lessThan(1000)
      } finally {
        for (const socket of sockets) socket.destroy()
      }
    })
  })
})
