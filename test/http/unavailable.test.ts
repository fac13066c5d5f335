import { expect } from 'chai'
import document from '../../src/contract/document.json' with { type: 'json' }
import { generateKey } from '../../src/admin/key-format.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operations.ts'
import { eventually } from '../admin/support/eventually.ts'
import { onEachEngine } from '../support/database.ts'
import { sampleRequest } from '../support/sample-requests.ts'
import { startTestServer } from '../support/server.ts'
import type { Method, TestServer } from '../support/server.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import type { TcpProxy } from '../support/tcp-proxy.ts'
import { openDatabase, closeDatabase } from '../../src/store/db.ts'

function lists(operation: Operation, status: number): boolean {
  const paths = document.paths as unknown as Record<string, Record<string, { responses: object }>>
  return String(status) in (paths[operation.path]?.[operation.method]?.responses ?? {})
}

async function callSample(server: TestServer, operation: Operation) {
  const { path, body } = sampleRequest(operation)
  const call = server.call(operation.method as Method, path)
  return body === undefined ? call : call.send(body)
}

onEachEngine((engine) => {
  describe('a database that is broken', () => {
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine)
      const db = openDatabase(server.home.target)
      await db.knex.schema.renameTable('revision', 'revision_gone')
      await closeDatabase(db)
    })
    after(() => server.stop())

    for (const operation of OPERATIONS.filter(({ role }) => role !== 'none')) {
      it(`makes ${operation.id} answer 500 in the error shape, without the cause`, async () => {
        const answer = await callSample(server, operation)
        expect(answer.status, answer.text).to.equal(500)
        expect(answer.body).to.include({ code: 'internal' })
        expect(answer.text).not.to.match(/revision_gone|select|SQLITE|ER_/i)
      })
    }

    it('is not needed to refuse a key whose form or checksum is wrong: no query comes before that', async () => {
      const raw = generateKey()
      const wrong = raw.slice(0, -1) + (raw.endsWith('a') ? 'b' : 'a')
      for (const key of ['garbage', wrong]) expect((await server.call('get', '/v1/events', key)).status).to.equal(401)
      expect((await server.call('get', '/v1/events', raw)).status).to.equal(500)
    })

    it('makes health and readiness answer 503', async () => {
      await new Promise((resolve) => setTimeout(resolve, 1100))
      expect((await server.call('get', '/v1/health', '')).body).to.include({ status: 'degraded' })
      expect((await server.call('get', '/v1/ready', '')).status).to.equal(503)
    })
  })
})

onEachEngine((engine) => {
  if (engine === 'sqlite') return
  describe('a database that cannot be reached', function () {
    this.timeout(60_000)
    let wire: TcpProxy
    let server: TestServer

    before(async () => {
      wire = await startTcpProxy({ host: '127.0.0.1', port: 3306 })
      server = await startTestServer(engine, {}, (target) => (target.engine === 'mysql' ? { ...target, port: wire.port } : target))
      expect((await server.call('post', '/v1/admin/sources').send({ name: 'web-shop' })).status).to.equal(201)
      await wire.cut()
    })
    after(async () => {
      await server.stop()
      await wire.close()
    })

    for (const operation of OPERATIONS.filter((each) => lists(each, 503) && each.role !== 'none')) {
      it(`makes ${operation.id} answer 503 with Retry-After`, async () => {
        const answer = await callSample(server, operation)
        expect(answer.status, answer.text).to.equal(503)
        expect(Number(answer.headers['retry-after'])).to.be.greaterThan(0)
      })
    }

    it('is told by health within two seconds, and forgotten when the database is back', async () => {
      expect((await server.call('get', '/v1/health', '')).status).to.equal(503)
      await wire.mend()
      await new Promise((resolve) => setTimeout(resolve, 1100))
      expect((await server.call('get', '/v1/health', '')).status).to.equal(200)
      expect((await server.call('post', '/v1/page').send({ source: 'web-shop', name: 'Home' })).status).to.equal(202)
    })

    for (const [how, stop, start] of [
      ['ends its connections', () => wire.cut(), () => wire.mend()],
      ['keeps its connections and says nothing any more', async () => wire.freeze(), async () => wire.thaw()],
    ] as const) {
      it(`that ${how} is told by health within two seconds, and by readiness too`, async () => {
        const health = async () => (await server.call('get', '/v1/health', '')).status
        await eventually('the database is back', async () => (await health()) === 200)
        await stop()
        try {
          const stoppedAt = Date.now()
          await eventually('health tells of it', async () => (await health()) !== 200)
          expect(Date.now() - stoppedAt).to.be.lessThan(2000)
          expect((await server.call('get', '/v1/ready', '')).status).to.equal(503)
        } finally {
          await start()
        }
        await eventually('health tells that it is back', async () => (await health()) === 200)
      })
    }
  })
})
