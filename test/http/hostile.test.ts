import { connect } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

interface Attack {
  name: string
  path: string
  body: string | Buffer
  type?: string
  headers?: Record<string, string>
  method?: 'post' | 'put'
  status: number
  /** What the error's sentence must hold: the way to do it right. */
  says: string
}

const JSON_TYPE = 'application/json'
const MIB = 1024 * 1024
const track = (extra: object) => JSON.stringify({ source: 'web', event_name: 'paid', ...extra })

const ATTACKS: Attack[] = [
  { name: 'an unknown provider', path: '/v1/admin/destinations', body: '{"name":"x","provider":"pigeon","config":{}}', status: 400, says: 'http, webhook' },
  { name: 'a malformed version', path: '/v1/events', body: '{"namespace":"shop","name":"paid","version":"1.0.0"}', status: 400, says: 'MAJOR-MINOR-PATCH' },
  { name: 'YAML with aliases', path: '/v1/events', body: 'namespace: &a shop\nname: *a\n', type: 'application/yaml', status: 400, says: 'anchors (&) are not allowed' },
  { name: 'two YAML documents', path: '/v1/events', body: 'namespace: a\n---\nname: b\n', type: 'text/yaml', status: 400, says: 'one document' },
  { name: 'a body over the limit', path: '/v1/events', body: JSON.stringify({ description: 'x'.repeat(MIB) }), status: 413, says: '1 MB at most' },
  { name: 'a batch over the limit', path: '/v1/batch', body: JSON.stringify({ source: 'x'.repeat(4 * MIB) }), status: 413, says: '4 MB for /v1/batch' },
  { name: 'a gzip bomb', path: '/v1/track', body: gzipSync(Buffer.alloc(64 * MIB, 32)), headers: { 'Content-Encoding': 'gzip' }, status: 413, says: 'after decompression' },
  { name: 'broken gzip', path: '/v1/track', body: Buffer.from('not gzip at all'), headers: { 'Content-Encoding': 'gzip' }, status: 400, says: 'Content-Encoding' },
  { name: 'an unknown encoding', path: '/v1/track', body: track({}), headers: { 'Content-Encoding': 'compress' }, status: 415, says: 'gzip' },
  { name: 'a depth over the limit', path: '/v1/track', body: `{"source":"web","event_name":"paid","properties":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}`, status: 400, says: '32 levels' },
  { name: 'a million empty objects', path: '/v1/batch', body: `{"source":"web","events":[${'{},'.repeat(1_000_000)}{}]}`, status: 400, says: 'at most 100000' },
  { name: 'a number with an endless exponent in YAML', path: '/v1/events', body: 'namespace: shop\nname: paid\nproperties:\n  p: {type: number, maximum: 1e999}\n', type: 'application/yaml', status: 400, says: '' },
  { name: 'a constructor key', path: '/v1/track', body: '{"source":"web","event_name":"paid","properties":{"constructor":{"prototype":{"admin":true}}}}', status: 400, says: '"constructor"' },
  { name: 'a prototype key in an admin body', path: '/v1/admin/sources', body: '{"name":"x","version_pinning":{"prototype":"1-0-0"}}', status: 400, says: '"prototype"' },
  { name: 'a brotli bomb', path: '/v1/track', body: brotliCompressSync(Buffer.alloc(8 * MIB, 32)), headers: { 'Content-Encoding': 'br' }, status: 413, says: 'after decompression' },
  { name: 'a __proto__ key', path: '/v1/track', body: '{"source":"web","event_name":"paid","properties":{"__proto__":{"admin":true}}}', status: 400, says: '"__proto__"' },
  { name: 'a __proto__ key in YAML', path: '/v1/events', body: 'namespace: shop\nname: paid\nproperties:\n  __proto__: {type: string}\n', type: 'application/yaml', status: 400, says: '__proto__' },
  { name: 'a leap second', path: '/v1/track', body: track({ timestamp: '2026-06-30T23:59:60Z' }), status: 400, says: 'RFC 3339' },
  { name: 'a time without offset', path: '/v1/track', body: track({ timestamp: '2026-06-30T23:59:59' }), status: 400, says: '2026' },
  { name: 'the 30th of February', path: '/v1/track', body: track({ timestamp: '2026-02-30T00:00:00Z' }), status: 400, says: 'RFC 3339' },
  { name: 'an unknown config key', path: '/v1/admin/config/colour', method: 'put', body: '{"value":"red"}', status: 400, says: 'relay_validation' },
  { name: 'a number out of range', path: '/v1/track', body: '{"source":"web","event_name":"paid","properties":{"n":1e999}}', status: 400, says: '64-bit' },
  { name: 'cut JSON', path: '/v1/track', body: '{"source":"web"', status: 400, says: 'not valid JSON' },
  { name: 'an array for an object', path: '/v1/track', body: '[]', status: 400, says: 'JSON object' },
  { name: 'null for an object', path: '/v1/admin/destinations', body: 'null', status: 400, says: 'JSON object' },
  { name: 'an unknown query parameter', path: '/v1/track?colour=red', body: track({}), status: 400, says: 'the query parameter colour is not known to this call' },
  { name: 'an unknown query parameter of a destination', path: '/v1/admin/destinations?colour=red', body: '{"name":"x","provider":"noop","config":{}}', status: 400, says: 'the query parameter colour' },
  { name: 'an Idempotency-Key over the limit', path: '/v1/track', body: track({ message_id: 'm' }), headers: { 'Idempotency-Key': 'x'.repeat(101) }, status: 400, says: 'the header Idempotency-Key must have at most 100 characters' },
  { name: 'no body', path: '/v1/track', body: '', status: 400, says: 'body' },
  { name: 'another charset', path: '/v1/track', body: track({}), type: 'application/json; charset=utf-7', status: 415, says: 'utf-8' },
  { name: 'invalid UTF-8', path: '/v1/track', body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), status: 400, says: 'UTF-8' },
  { name: 'an unknown type in a batch', path: '/v1/batch', body: '{"source":"web","events":[{"type":"page","name":"Home"},{"type":"dance"}]}', status: 400, says: 'events[1].type must be one of track' },
  { name: 'a missing field in a batch', path: '/v1/batch', body: '{"source":"web","events":[{"type":"page"}]}', status: 400, says: 'events[0].name is required' },
  { name: 'an unsafe pattern', path: '/v1/events', body: '{"namespace":"shop","name":"paid","properties":{"p":{"type":"string","pattern":"^(a+)+$"}}}', status: 400, says: '/properties/p' },
]

onEachEngine((engine) => {
  describe('bad input', () => {
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine)
      expect((await server.call('post', '/v1/admin/sources').send({ name: 'web' })).status).to.equal(201)
    })
    after(() => server.stop())

    for (const attack of ATTACKS) {
      it(`answers ${attack.status} to ${attack.name}, says what would be right, and is unharmed`, async () => {
        const call = server.call(attack.method ?? 'post', attack.path).set({ 'Content-Type': attack.type ?? JSON_TYPE, ...attack.headers })
        // The text as it is: supertest must not serialise it once more.
        const answer = await call.serialize((text: unknown) => text as string).send(attack.body as string)
        expect(answer.status, answer.text).to.equal(attack.status)
        expect((answer.body as { error: string }).error).to.contain(attack.says)
        expect(answer.text).not.to.match(/node_modules|at \w+ \(|\.ts:/)
        expect((await server.call('get', '/v1/health', '')).status).to.equal(200)
        expect(({} as { admin?: boolean }).admin).to.equal(undefined)
      })
    }

    it('reads a body that is compressed', async () => {
      for (const [encoding, compress] of [['gzip', gzipSync], ['deflate', deflateSync], ['br', brotliCompressSync]] as const) {
        const call = server.call('post', '/v1/track').set({ 'Content-Type': JSON_TYPE, 'Content-Encoding': encoding })
        const answer = await call.serialize((text: unknown) => text as string).send(compress(track({})) as never)
        expect(answer.status, `${encoding} ${answer.text}`).to.equal(202)
      }
    })

    it('keeps the error shape for what cannot be parsed as HTTP at all', async () => {
      expect(await raw('NONSENSE\r\n\r\n')).to.match(/^HTTP\/1\.1 400 [^]*\{"error":"this is not a well-formed HTTP/)
      expect(await raw(`GET /v1/health HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`)).to.match(/^HTTP\/1\.1 431 [^]*\{"error":"the headers are larger/)
      expect(await raw('GET /v1/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).to.match(/\{"error":"/)
    })

    it('answers an unknown path with 404 in the same shape', async () => {
      const answer = await server.call('get', '/v1/nothing')
      expect(answer.status).to.equal(404)
      expect(answer.body).to.include.keys('error', 'code', 'request_id')
    })

    it('keeps an acceptable X-Request-Id and replaces any other', async () => {
      expect((await server.call('get', '/v1/health').set('X-Request-Id', 'abc-1.2_3')).headers['x-request-id']).to.equal('abc-1.2_3')
      expect((await server.call('get', '/v1/health').set('X-Request-Id', 'a b')).headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/)
    })

    /** Sends bytes as they are. @returns everything that comes back until the end */
    function raw(text: string): Promise<string> {
      const { port } = new URL(server.url)
      return new Promise((resolve, reject) => {
        let answer = ''
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(text))
        socket.on('data', (chunk) => (answer += chunk.toString()))
        socket.on('close', () => resolve(answer))
        socket.on('error', reject)
      })
    }
  })
})
