import { expect } from 'chai'
import { judge } from '../../scripts/contract/fuzz/judge.ts'
import { fetchPublished } from '../../scripts/contract/fuzz/published.ts'
import type { Published } from '../../scripts/contract/fuzz/published.ts'
import type { FuzzRequest } from '../../scripts/contract/fuzz/request.ts'
import type { FuzzAnswer } from '../../scripts/contract/fuzz/send.ts'
import { startTestServer } from '../support/server.ts'

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r', 'x-content-type-options': 'nosniff' }
const HEALTHY: FuzzAnswer = { status: 200, headers: HEADERS, text: '{"status":"ok","uptime":"1s","version":"1.0.0"}' }
const refusal = (error: string) => JSON.stringify({ error, code: 'invalid_request', request_id: 'r' })

describe('the judge of answers', () => {
  let published: Published
  let request: FuzzRequest

  before(async () => {
    const server = await startTestServer('sqlite')
    published = await fetchPublished(server.url)
    await server.stop()
    const operation = published.operations.find(({ path }) => path === '/v1/health')
    if (!operation) throw new Error('the contract has no /v1/health')
    request = { operation, kind: 'valid', method: 'GET', path: '/v1/health', headers: {}, body: undefined, allowed: undefined }
  })

  it('finds nothing in an answer of the contract', () => {
    expect(judge(published, request, HEALTHY)).to.deep.equal([])
    expect(judge(published, { ...request, path: '/v1/health?a=1', allowed: [400] }, { status: 400, headers: HEADERS, text: refusal('the query parameter a is not known') })).to.deep.equal([])
  })

  const differing: [name: string, answer: Partial<FuzzAnswer>, found: string, allowed?: number[]][] = [
    ['a status that is not listed', { status: 201 }, 'does not list'],
    ['a status that the request must not get', {}, 'not one of 400', [400]],
    ['a 5xx', { status: 500, text: refusal('an unexpected fault on our side') }, 'answered 500'],
    ['a missing field', { text: '{"status":"ok","uptime":"1s"}' }, 'version'],
    ['an unknown field', { text: '{"status":"ok","uptime":"1s","version":"1","colour":"red"}' }, 'colour'],
    ['a body that is not JSON', { text: '<html>' }, 'shape'],
    ['another media type', { headers: { ...HEADERS, 'content-type': 'text/html' } }, 'text/html'],
    ['an error without a sentence', { status: 400, text: '{"error":"bad"}' }, 'sentence'],
    ['an error of another shape', { status: 400, text: '{"message":"this is not the shape of an error"}' }, 'sentence'],
    ['a missing X-Request-Id', { headers: { ...HEADERS, 'x-request-id': undefined } }, 'X-Request-Id'],
    ['a stack', { status: 400, text: refusal('cannot read this\n    at parse (/srv/app/body.ts:12:3)') }, 'its inside'],
    ['a path', { status: 400, text: refusal('there is no file /home/app/data/signalbook.db') }, 'its inside'],
    ['a statement', { status: 400, text: refusal('insert into `sources` (`name`) values (?) failed') }, 'its inside'],
    ['no answer at all', { status: 0, text: 'socket hang up' }, 'no answer'],
  ]
  for (const [name, answer, found, allowed] of differing) {
    it(`finds ${name}`, () => {
      expect(judge(published, { ...request, allowed }, { ...HEALTHY, ...answer }).join('; ')).to.contain(found)
    })
  }
})
