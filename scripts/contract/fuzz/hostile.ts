import { gzipSync } from 'node:zlib'
import type { PublishedOperation } from './published.ts'
import type { FuzzRequest } from './request.ts'

const MIB = 1024 * 1024
const JSON_TYPE = { 'Content-Type': 'application/json' }
const REFUSED = [400, 413, 415]

interface HostileBody {
  kind: string
  body: string | Buffer
  headers?: Record<string, string>
  allowed?: readonly number[]
}

/** Bodies that no operation may take, whatever it does. */
const BODIES: HostileBody[] = [
  { kind: 'JSON 20,000 levels deep', body: `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}` },
  { kind: '__proto__', body: '{"__proto__":{"admin":true}}' },
  { kind: 'constructor.prototype', body: '{"constructor":{"prototype":{"admin":true}}}' },
  { kind: '1e999', body: '{"n":1e999}' },
  { kind: 'invalid UTF-8', body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]) },
  { kind: 'half a surrogate pair in UTF-8', body: Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]) },
  { kind: 'cut JSON', body: '{"source":' },
  { kind: 'an array', body: '[]' },
  { kind: 'null', body: 'null' },
  { kind: 'a number', body: '1' },
  { kind: 'NaN', body: '{"n":NaN}' },
  { kind: '20 MB', body: Buffer.alloc(20 * MIB, 0x20) },
  { kind: 'a gzip bomb', body: gzipSync(Buffer.alloc(64 * MIB, 0x20)), headers: { 'Content-Encoding': 'gzip' } },
  { kind: 'broken gzip', body: Buffer.from('this is not gzip'), headers: { 'Content-Encoding': 'gzip' } },
  { kind: 'gzip of gzip', body: gzipSync(gzipSync('{}')), headers: { 'Content-Encoding': 'gzip' } },
  { kind: 'an unknown encoding', body: '{}', headers: { 'Content-Encoding': 'compress' }, allowed: [415] },
  { kind: 'utf-7', body: '{"a":1}', headers: { 'Content-Type': 'application/json; charset=utf-7' }, allowed: [415] },
  { kind: 'utf-16', body: Buffer.from('{"a":1}', 'utf16le'), headers: { 'Content-Type': 'application/json; charset=utf-16le' }, allowed: [415] },
  { kind: 'a form', body: 'a=1', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, allowed: [415] },
  { kind: 'multipart', body: '--x--', headers: { 'Content-Type': 'multipart/form-data; boundary=x' }, allowed: [415] },
  { kind: 'XML', body: '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', headers: { 'Content-Type': 'application/xml' }, allowed: [415] },
  { kind: 'a strange content type', body: '{"a":1}', headers: { 'Content-Type': ';;;/' }, allowed: [415] },
  { kind: 'an empty content type', body: '{"a":1}', headers: { 'Content-Type': '' }, allowed: [415] },
]

/** Further requests that only bodies of YAML make possible. */
const YAML_BODIES: HostileBody[] = [
  { kind: 'a YAML alias bomb', body: `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'.split('').map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]`).join('\n')}\n` },
  { kind: 'a YAML tag', body: 'namespace: !!js/function "function(){}"\nname: x\n' },
  { kind: 'deep YAML', body: `${'['.repeat(5000)}${']'.repeat(5000)}` },
  { kind: '__proto__ in YAML', body: 'namespace: shop\nname: x\nproperties: {__proto__: {type: string}}\n' },
]

/** What is put in place of the whole path; whoever answers must keep the error shape. */
const PATHS: ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => path.toUpperCase(),
  (path) => `${path}%00`,
  (path) => `${path}%ff`,
  (path) => `${path}/%2e%2e/%2e%2e/etc/passwd`,
  (path) => `${path}/..%2f..%2fpackage.json`,
  (path) => `${path};admin=true`,
  (path) => `${path}?a[__proto__][b]=1`,
  (path) => `${path}?__proto__=1&constructor=2`,
  (path) => `${path}?${'a=1&'.repeat(1500)}`,
  (path) => `${path}?limit=1&limit=2`,
  (path) => `${path}?%ff=%zz`,
  (path) => `${path}/${'x'.repeat(8000)}`,
  (path) => `${path}%zz`,
]

/** Every hostile request for an operation, with parameters that name nothing. */
export function hostileRequests(operation: PublishedOperation): FuzzRequest[] {
  const base = operation.parameters.filter((parameter) => parameter.in === 'path').reduce((path, { name, example }) => path.replace(`{${name}}`, encodeURIComponent(example as string | number)), operation.path)
  const method = operation.method.toUpperCase()
  const bodies = (given: HostileBody[], headers: Record<string, string>): FuzzRequest[] =>
    given.map((each) => ({ operation, kind: each.kind, method, path: base, headers: { ...headers, ...each.headers }, body: each.body, allowed: each.allowed ?? REFUSED }))
  const withBody = operation.body ? bodies(BODIES, JSON_TYPE) : []
  const withYaml = operation.body?.content['application/yaml'] ? bodies(YAML_BODIES, { 'Content-Type': 'application/yaml' }) : []
  const odd = PATHS.map((change): FuzzRequest => ({ operation, kind: 'an odd path', method, path: change(base), headers: {}, body: undefined, allowed: ODD_PATH }))
  const methods = ['OPTIONS', 'TRACE', 'PROPFIND', 'PATCH'].filter((other) => other !== method).map((other): FuzzRequest => ({ operation, kind: other, method: other, path: base, headers: {}, body: undefined, allowed: [404, 405] }))
  const overridden: FuzzRequest = { operation, kind: 'no key, with headers that claim one', method, path: base, headers: { Authorization: '', 'X-HTTP-Method-Override': 'GET', 'X-Original-URL': '/v1/health', 'X-Forwarded-For': '127.0.0.1' }, body: undefined, allowed: undefined }
  return [...withBody, ...withYaml, ...odd, ...methods, overridden]
}

// A path with a tail may be that of another operation, which is then free to answer; what it must not do is fail.
const ODD_PATH = [200, 201, 202, 204, 400, 401, 404, 405, 409, 413, 414, 415, 431]
