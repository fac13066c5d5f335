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

    it('is not passed by HEAD, a trailing slash, a doubled slash or an override header', async () => {
      const viewer = keys['viewer'] as string
      expect((await server.call('head', '/v1/admin/keys', viewer)).status).to.equal(403)
      for (const path of ['/v1/admin/keys/', '//v1/admin/keys', '/v1//admin/keys', '/V1/admin/keys', '/v1/admin/./keys/']) {
        const { status } = await server.call('get', path, viewer)
        expect([403, 404], path).to.include(status)
      }
      const overridden = await server.call('get', '/v1/events', viewer).set('X-HTTP-Method-Override', 'POST').set('X-Original-URL', '/v1/admin/keys')
      expect(overridden.body).to.deep.equal([])
    })

    it('answers 405 with Allow for a method that a path does not have', async () => {
      const answer = await server.call('patch', '/v1/admin/keys')
      expect(answer.status).to.equal(405)
      expect(answer.headers['allow']).to.equal('GET, HEAD, POST')
      expect((answer.body as { error: string }).error).to.contain('PATCH')
    })
  })
})
