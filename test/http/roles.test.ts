import { request } from 'node:http'
import { expect } from 'chai'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operations.ts'
import { onEachEngine } from '../support/database.ts'
import { sampleRequest } from '../support/sample-requests.ts'
import { startTestServer } from '../support/server.ts'
import type { Method, TestServer } from '../support/server.ts'

const LEVEL = { none: 0, viewer: 1, publisher: 2, admin: 3 }
const CALLERS = ['no key', 'garbage', 'wrong checksum', 'expired', 'revoked', 'viewer', 'publisher', 'admin'] as const
type Caller = (typeof CALLERS)[number]

/** What the matrix says of a cell: refused as unknown, refused as too low, or let in (then any other status). */
function expected(operation: Operation, caller: Caller): 401 | 403 | 'let in' {
  if (operation.role === 'none') return 'let in'
  if (caller !== 'viewer' && caller !== 'publisher' && caller !== 'admin') return 401
  return LEVEL[caller] >= LEVEL[operation.role] ? 'let in' : 403
}

/** Ways in which a path can be written that a careless router takes for the same. */
function otherSpellings(path: string): string[] {
  const [, ...parts] = path.split('/')
  return [
    `${path}/`,
    `/${path}`,
    `/${parts.join('//')}`,
    path.toUpperCase(),
    `/./${parts.join('/')}`,
    `/v1/../${parts.join('/')}`,
    `/v1/health/..${path}`,
    `/v1/health/%2e%2e${path}`,
    `/${parts.join('%2f')}`,
    `/${parts.join('%5c')}`,
    `${path}%00`,
    `${path};a=b`,
    `${path}.json`,
    `/%2f${path.slice(1)}`,
  ]
}

onEachEngine((engine) => {
  describe('the role matrix', () => {
    let server: TestServer
    const keys: Record<string, string> = {}

    before(async () => {
      server = await startTestServer(engine)
      keys['no key'] = ''
      keys['garbage'] = 'garbage'
      for (const role of ['viewer', 'publisher', 'admin'] as const) keys[role] = (await server.keyFor(role)).key
      const last = (keys['admin'] as string).at(-1)
      keys['wrong checksum'] = (keys['admin'] as string).slice(0, -1) + (last === 'a' ? 'b' : 'a')
      keys['expired'] = (await server.keyFor('admin', '1s')).key
      const revoked = await server.keyFor('admin')
      keys['revoked'] = revoked.key
      expect((await server.call('delete', `/v1/admin/keys/${revoked.id}`)).status).to.equal(204)
      await new Promise((resolve) => setTimeout(resolve, 1100))
    })

    after(() => server.stop())

    /** Sends a path to the letter: the usual clients tidy it up. */
    const statusOf = (method: string, path: string, key: string, body: object | undefined) =>
      new Promise<number>((resolve, reject) => {
        const headers = { ...(key === '' ? {} : { Authorization: `Bearer ${key}` }), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) }
        const sent = request({ port: new URL(server.url).port, host: '127.0.0.1', method: method.toUpperCase(), path, headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode as number)
        })
        sent.once('error', reject)
        sent.end(body === undefined ? undefined : JSON.stringify(body))
      })

    for (const operation of OPERATIONS) {
      it(`lets the right callers use ${operation.id}`, async () => {
        for (const caller of CALLERS) {
          const { path, body } = sampleRequest(operation)
          const call = server.call(operation.method as Method, path, keys[caller])
          const answer = await (body === undefined ? call : call.send(body))
          const seen = answer.status === 401 || answer.status === 403 ? answer.status : 'let in'
          expect(seen, `${caller} on ${operation.id} got ${answer.status} ${answer.text}`).to.equal(expected(operation, caller))
          if (seen === 401) expect(answer.headers['www-authenticate']).to.equal('Bearer')
          if (seen === 403) expect((answer.body as { error: string }).error).to.contain(operation.role)
        }
      })
    }

    for (const operation of OPERATIONS.filter(({ role }) => role !== 'none')) {
      it(`is not passed by another spelling of ${operation.id}`, async () => {
        const { path, body } = sampleRequest(operation)
        const tooLow = operation.role === 'viewer' ? 'revoked' : operation.role === 'publisher' ? 'viewer' : 'publisher'
        for (const spelling of otherSpellings(path)) {
          for (const caller of ['no key', tooLow]) {
            const status = await statusOf(operation.method, spelling, keys[caller] as string, body)
            // Not found, or found to be the operation and then refused as it would be.
            expect([401, 403, 404], `${caller} on ${operation.method} ${spelling}`).to.include(status)
          }
        }
      })
    }

    it('holds for HEAD as for GET', async () => {
      for (const operation of OPERATIONS.filter(({ method, role }) => method === 'get' && role !== 'none')) {
        const { path } = sampleRequest(operation)
        for (const caller of CALLERS) {
          const [head, get] = [await server.call('head', path, keys[caller]), await server.call('get', path, keys[caller])]
          expect([head.status, head.text ?? ''], `${caller} on HEAD ${path}`).to.deep.equal([get.status, ''])
        }
      }
    })

    it('is not passed by headers that claim another method, path or caller', async () => {
      const viewer = keys['viewer'] as string
      const claims = { 'X-HTTP-Method-Override': 'POST', 'X-HTTP-Method': 'DELETE', 'X-Method-Override': 'PUT', 'X-Original-URL': '/v1/admin/keys', 'X-Rewrite-URL': '/v1/admin/keys', 'X-Forwarded-Prefix': '/v1/admin', 'X-Forwarded-For': '127.0.0.1', 'X-Remote-User': 'root', Cookie: `key=${keys['admin']}` }
      expect((await server.call('get', '/v1/events', viewer).set(claims)).body).to.deep.equal([])
      expect((await server.call('post', '/v1/track', viewer).set(claims).send({ source: 'none', event_name: 'x', _method: 'DELETE' })).status).to.equal(400)
      expect((await server.call('get', '/v1/admin/keys', viewer).set(claims)).status).to.equal(403)
      expect((await server.call('get', `/v1/events?api_key=${keys['admin']}&_method=POST`, '').set(claims)).status).to.equal(401)
    })

    it('answers 405 with Allow for a method that a path does not have', async () => {
      const answer = await server.call('patch', '/v1/admin/keys')
      expect(answer.status).to.equal(405)
      expect(answer.headers['allow']).to.equal('GET, HEAD, POST')
      expect((answer.body as { error: string }).error).to.contain('PATCH')
    })
  })
})
