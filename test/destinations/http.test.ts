import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { http } from '../../src/destinations/http.ts'
import type { CanonicalEvent } from '../../src/destinations/canonical-event.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const url = 'https://example.com/hook'
const context = { batchId: 'batch_1', attempt: 1, now: 1_614_265_330_000 }
const item = (key: string, body = '{}') => ({ lane: '', key, body })

function refusal(config: Record<string, unknown>): { code: string; message: string } {
  try {
    http.checkConfig(config)
    return { code: 'none', message: '' }
  } catch (error) {
    return error as { code: string; message: string }
  }
}

describe('the http provider', () => {
  it('takes settings as they are and only drops what is null', () => {
    const config = {
      url, method: 'PUT', headers: { 'X-A': 'b' }, api_key: 'k', signing_secret: SECRET, batch: true, batch_size: 1000, format: 'ndjson',
      types: ['track', 'page'], timeout: '5s', flush_interval: '2s',
    }
    expect(http.checkConfig(config)).to.deep.equal(config)
    expect(http.checkConfig(http.checkConfig(config))).to.deep.equal(config)
    expect(http.checkConfig({ endpoint: url, api_key: null })).to.deep.equal({ endpoint: url })
  })

  const FAULTY: [string, Record<string, unknown>, string][] = [
    ['no url', { api_key: 'k' }, 'config.url'],
    ['url and endpoint', { url, endpoint: url }, 'config.endpoint'],
    ['a url that is none', { url: 'example.com' }, 'config.url'],
    ['another scheme', { url: 'ftp://example.com' }, 'config.url'],
    ['credentials in the url', { url: 'https://u:hunter2@example.com' }, 'config.url'],
    ['an unknown key', { url, colour: 'hunter2' }, 'config.colour'],
    ['an unknown key of every object', { url, constructor: 'hunter2' }, 'config.constructor'],
    ['an empty api_key', { url, api_key: '' }, 'config.api_key'],
    ['an api_key with a line break', { url, api_key: 'hunter2\r\nX: y' }, 'config.api_key'],
    ['an api_key that is only the mask', { url, api_key: '********' }, 'config.api_key'],
    ['a method that carries no body', { url, method: 'GET' }, 'config.method'],
    ['headers that are a list', { url, headers: ['hunter2'] }, 'config.headers'],
    ['a header name with a space', { url, headers: { 'a b': 'hunter2' } }, 'config.headers'],
    ['a header value with a line break', { url, headers: { a: 'hunter2\nx: y' } }, 'config.headers.a'],
    ['a header value that is a number', { url, headers: { a: 1 } }, 'config.headers.a'],
    ['a header of the connection', { url, headers: { 'Content-Length': '5' } }, 'config.headers.Content-Length'],
    ['a signing secret of another form', { url, signing_secret: 'hunter2' }, 'config.signing_secret'],
    ['a signing secret that is no base64', { url, signing_secret: 'whsec_' + 'A'.repeat(33) }, 'config.signing_secret'],
    ['batch as a text', { url, batch: 'true' }, 'config.batch'],
    ['a batch_size of 0', { url, batch_size: 0 }, 'config.batch_size'],
    ['a batch_size over 1000', { url, batch_size: 1001 }, 'config.batch_size'],
    ['a batch_size without batches', { url, batch: false, batch_size: 5 }, 'config.batch_size'],
    ['a batch in the format of one event', { url, batch: true, format: 'object' }, 'config.format'],
    ['an unknown format', { url, format: 'xml' }, 'config.format'],
    ['an unknown type', { url, types: ['screen'] }, 'config.types'],
    ['no types', { url, types: [] }, 'config.types'],
    ['a timeout without unit', { url, timeout: 10 }, 'config.timeout'],
    ['a timeout of an hour', { url, timeout: '1h' }, 'config.timeout'],
    ['a flush_interval of a day', { url, flush_interval: '1d' }, 'config.flush_interval'],
  ]
  for (const [what, config, named] of FAULTY) {
    it(`refuses ${what}, naming ${named} and no value`, () => {
      const { code, message } = refusal(config)
      expect(code).to.equal('invalid_request')
      expect(message.startsWith(named + ' '), message).to.equal(true)
      expect(message).not.to.contain('hunter2')
    })
  }

  it('sends one event as an object under its own id', () => {
    const request = http.request([item('m', '{"a":1}')], { url }, context)
    expect(request).to.deep.equal({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', 'user-agent': 'signalbook', 'idempotency-key': 'm', 'webhook-id': 'm', 'webhook-timestamp': '1614265330' },
      body: '{"a":1}',
    })
  })

  it('sends batches as an array or as lines, under the id of the batch', () => {
    const items = [item('a', '{"a":1}'), item('b', '{"b":1}')]
    const array = http.request(items, { url, batch: true }, context)
    expect([array.body, array.headers['content-type'], array.headers['webhook-id']]).to.deep.equal(['[{"a":1},{"b":1}]', 'application/json', 'batch_1'])
    const lines = http.request(items, { url, batch_size: 5, format: 'ndjson' }, context)
    expect([lines.body, lines.headers['content-type']]).to.deep.equal(['{"a":1}\n{"b":1}\n', 'application/x-ndjson'])
  })

  it('signs the example of the specification as the specification does', () => {
    const { headers } = http.request([item('msg_p5jXN8AQM9LWM0D4loKWxJek', '{"test": 2432232314}')], { url, signing_secret: SECRET }, context)
    expect(headers['webhook-signature']).to.equal('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it('writes any message_id and api_key in a form that headers can carry, and signs that form', () => {
    for (const key of ['é✓', 'a\r\nx: y', ' ', '\ud800', '%41']) {
      const now = Date.now()
      const { headers, body } = http.request([item(key)], { url, api_key: 'schlüssel', signing_secret: SECRET }, { ...context, now })
      for (const value of Object.values(headers)) expect(value).to.match(/^[\u0021-\u007e](?:[\u0020-\u007e]*[\u0021-\u007e])?$/)
      expect(new Webhook(SECRET).verify(body, headers)).to.deep.equal({})
    }
  })

  it('lets the settings override ordinary headers, and the ids none', () => {
    const { headers } = http.request([item('m')], { url, api_key: 'k', headers: { Authorization: 'Basic x', 'Webhook-Id': 'forged' } }, context)
    expect(headers).to.include({ authorization: 'Basic x', 'webhook-id': 'm' })
  })

  it('skips the types that the settings leave out', () => {
    const event = { type: 'page', message_id: 'm' } as CanonicalEvent
    expect(http.encode(event, { types: ['track'] }, () => '{}')).to.deep.equal({ skip: 'unsupported_type' })
    expect(http.encode(event, {}, () => '{"x":1}')).to.deep.equal({ items: [{ lane: '', key: 'm', body: '{"x":1}' }] })
  })
})
