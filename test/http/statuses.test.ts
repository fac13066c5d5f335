import { expect } from 'chai'
import document from '../../src/contract/document.json' with { type: 'json' }
import { OPERATIONS } from '../../src/contract/operations.ts'
import { onEachEngine } from '../support/database.ts'
import { sampleRequest } from '../support/sample-requests.ts'
import { startTestServer } from '../support/server.ts'
import type { Method, TestServer } from '../support/server.ts'

/** One request and the status it must have. Rows of an operation run in this order, on one server. */
interface Row {
  status: number
  path?: string
  body?: unknown
  type?: string
  headers?: Record<string, string>
}

const SPEC = { namespace: 'shop', name: 'paid', version: '1-0-0', properties: { total: { type: 'number', required: true } } }
const BIG = { padding: 'x'.repeat(5 * 1024 * 1024) }
const BAD_ID = '/v1/admin/keys/none'

/** Statuses that every operation of a kind can answer alike, tested in one sweep below. */
const SWEPT = new Set([401, 403, 413, 415, 429, 500, 503])

/** Every other status that the contract lists, by operation. */
const ROWS: Record<string, Row[]> = {
  getHealth: [{ status: 200 }, { status: 400, path: '/v1/health?colour=red' }],
  getReadiness: [{ status: 200 }, { status: 400, path: '/v1/ready?colour=red' }],
  getMetrics: [{ status: 200 }, { status: 400, path: '/metrics?colour=red' }],
  getOpenapiJson: [{ status: 200 }, { status: 400, path: '/v1/openapi.json?colour=red' }],
  getOpenapiYaml: [{ status: 200 }, { status: 400, path: '/v1/openapi.yaml?colour=red' }],
  createKey: [{ status: 201, body: { role: 'viewer', name: 'app', expires_in: '90d' } }, { status: 400, body: { role: 'owner' } }, { status: 400, body: { role: 'viewer', expires_in: '1.5h' } }],
  listKeys: [{ status: 200 }, { status: 400, path: '/v1/admin/keys?limit=0' }],
  rotateKey: [
    { status: 201, path: '/v1/admin/keys/2/rotate' },
    { status: 409, path: '/v1/admin/keys/2/rotate' },
    { status: 404 },
    { status: 400, path: '/v1/admin/keys/3/rotate', body: { overlap: '-1h' } },
  ],
  revokeKey: [{ status: 204, path: '/v1/admin/keys/2' }, { status: 404 }, { status: 400, path: BAD_ID }],
  createDestination: [
    { status: 201, body: { name: 'drain', provider: 'noop', config: {} } },
    { status: 201, body: { name: 'spare', provider: 'noop', config: {} } },
    { status: 409, body: { name: 'drain', provider: 'noop', config: {} } },
    { status: 400, body: { name: 'drain2', provider: 'carrier-pigeon', config: {} } },
  ],
  createSource: [
    { status: 201, body: { name: 'web', destinations: ['drain'] } },
    { status: 409, body: { name: 'web' } },
    { status: 400, body: { name: 'a/b' } },
    { status: 400, body: { name: 'web2', colour: 'red' } },
  ],
  publishEvent: [
    { status: 200, path: '/v1/events?dry_run=true', body: SPEC },
    { status: 201, body: SPEC },
    { status: 201, body: SPEC },
    { status: 409, body: { ...SPEC, properties: {} } },
    { status: 400, body: { ...SPEC, version: '1.0.0' } },
    { status: 201, type: 'application/yaml', body: 'namespace: shop\nname: paid\nversion: 1-1-0\nproperties:\n  total: {type: number, required: true}\n  note: {type: string}\n' },
  ],
  listEvents: [{ status: 200 }, { status: 400, path: '/v1/events?status=gone' }],
  getLatestEvent: [{ status: 200, path: '/v1/events/shop/paid' }, { status: 404 }, { status: 400, path: '/v1/events/sh%20op/paid' }],
  getEventVersion: [{ status: 200, path: '/v1/events/shop/paid/1-0-0' }, { status: 404 }, { status: 400, path: '/v1/events/shop/paid/1.0.0' }],
  getEventSchema: [{ status: 200, path: '/v1/events/shop/paid/1-0-0/schema' }, { status: 404 }, { status: 400, path: '/v1/events/shop/paid/1.0.0/schema' }],
  listEventVersions: [{ status: 200, path: '/v1/events/shop/paid/versions' }, { status: 404 }, { status: 400, path: '/v1/events/sh%20op/paid/versions' }],
  listRules: [{ status: 200 }, { status: 400, path: '/v1/rules?colour=red' }],
  diffEvents: [{ status: 200, path: '/v1/diff/shop/paid/1-0-0/1-1-0' }, { status: 404 }, { status: 400, path: '/v1/diff/shop/paid/1-0-0/01-1-0' }],
  setEventStatus: [
    { status: 200, path: '/v1/events/shop/paid/1-0-0/status', body: { status: 'deprecated' } },
    { status: 409, path: '/v1/events/shop/paid/1-0-0/status', body: { status: 'draft' } },
    { status: 400, path: '/v1/events/shop/paid/1-0-0/status', body: { status: 'gone' } },
    { status: 404, body: { status: 'deleted' } },
  ],
  track: [{ status: 202, body: { source: 'web', event_name: 'paid', properties: { total: 1 } } }, { status: 400, body: { source: 'web' } }, { status: 400, body: { source: 'nobody', event_name: 'paid' } }],
  identify: [{ status: 202, body: { source: 'web', user_id: 'u' } }, { status: 400, body: { source: 'nobody' } }],
  group: [{ status: 202, body: { source: 'web', group_id: 'g' } }, { status: 400, body: { source: 'web' } }],
  page: [{ status: 202, body: { source: 'web', name: 'Home' } }, { status: 400, body: { source: 'web' } }],
  alias: [{ status: 202, body: { source: 'web', user_id: 'u', previous_id: 'a' } }, { status: 400, body: { source: 'web', user_id: 'u' } }],
  batch: [
    { status: 202, body: { source: 'web', events: [{ type: 'page', name: 'Home' }] } },
    { status: 400, body: { source: 'web', events: [] } },
    { status: 400, body: { source: 'web', events: [{ type: 'dance' }] } },
  ],
  flush: [{ status: 202 }, { status: 202, body: { source: 'web' } }, { status: 400, body: { source: 'nobody' } }],
  listSources: [{ status: 200 }, { status: 400, path: '/v1/admin/sources?limit=many' }],
  getSource: [{ status: 200, path: '/v1/admin/sources/web' }, { status: 404 }, { status: 400, path: '/v1/admin/sources/a%20b' }],
  replaceSource: [
    { status: 200, path: '/v1/admin/sources/web', body: { name: 'web', platform: 'web', language: 'js', events: [], destinations: ['drain'] } },
    { status: 404, path: '/v1/admin/sources/none', body: { name: 'none', platform: '', language: '', events: [], destinations: [] } },
    { status: 400, path: '/v1/admin/sources/web', body: { name: 'web' } },
  ],
  pullSource: [{ status: 200, path: '/v1/sources/web/pull' }, { status: 304, path: '/v1/sources/web/pull', headers: { 'If-None-Match': '*' } }, { status: 404 }, { status: 400, path: '/v1/sources/a%20b/pull' }],
  listDestinations: [{ status: 200 }, { status: 400, path: '/v1/admin/destinations?limit=0' }],
  getDestination: [{ status: 200, path: '/v1/admin/destinations/drain' }, { status: 404 }, { status: 400, path: '/v1/admin/destinations/a%20b' }],
  replaceDestination: [
    { status: 200, path: '/v1/admin/destinations/drain', body: { name: 'drain', provider: 'noop', config: {} } },
    { status: 404, path: '/v1/admin/destinations/none', body: { name: 'none', provider: 'noop', config: {} } },
    { status: 400, path: '/v1/admin/destinations/drain', body: { name: 'drain', provider: 'noop', config: { colour: 'red' } } },
  ],
  pauseDestination: [{ status: 200, path: '/v1/admin/destinations/drain/pause', body: { reason: 'moving' } }, { status: 404, body: {} }, { status: 400, path: '/v1/admin/destinations/drain/pause', body: { colour: 'red' } }],
  resumeDestination: [{ status: 200, path: '/v1/admin/destinations/drain/resume' }, { status: 404 }, { status: 400, path: '/v1/admin/destinations/a%20b/resume' }],
  listDeliveries: [{ status: 200 }, { status: 400, path: '/v1/admin/deliveries?colour=red' }],
  listRelayEvents: [{ status: 200 }, { status: 200, path: '/v1/admin/relay/events?status=delivered&limit=1' }, { status: 400, path: '/v1/admin/relay/events?status=lost' }],
  listDeadLetters: [{ status: 200 }, { status: 400, path: '/v1/admin/dead-letters?since=yesterday' }],
  replayDeadLetters: [{ status: 202, body: { all: true } }, { status: 400, body: {} }],
  discardDeadLetters: [{ status: 200, path: '/v1/admin/dead-letters?all=true' }, { status: 400, path: '/v1/admin/dead-letters' }],
  listQuarantine: [{ status: 200 }, { status: 400, path: '/v1/admin/quarantine?limit=0' }],
  releaseQuarantine: [{ status: 200, body: { all: true } }, { status: 400, body: {} }],
  discardQuarantine: [{ status: 200, path: '/v1/admin/quarantine?all=true' }, { status: 400, path: '/v1/admin/quarantine' }],
  createWebhook: [{ status: 201, body: { url: 'http://127.0.0.1:9/hook' } }, { status: 400, body: { url: 'ftp://example.com' } }],
  listWebhooks: [{ status: 200 }, { status: 400, path: '/v1/webhooks?limit=0' }],
  getWebhook: [{ status: 200, path: '/v1/webhooks/1' }, { status: 404 }, { status: 400, path: '/v1/webhooks/none' }],
  replaceWebhook: [
    { status: 200, path: '/v1/webhooks/1', body: { url: 'http://127.0.0.1:9/hook', namespaces: ['shop', 'account/*'], types: ['event.published'] } },
    { status: 404, body: { url: 'https://example.com/', namespaces: [], types: [] } },
    { status: 400, path: '/v1/webhooks/1', body: { url: 'https://example.com/' } },
    { status: 400, path: '/v1/webhooks/1', body: { url: 'https://example.com/', namespaces: ['a/b/c'], types: [] } },
  ],
  rotateWebhookSecret: [
    { status: 200, path: '/v1/webhooks/1/rotate' },
    { status: 200, path: '/v1/webhooks/1/rotate', body: { overlap: '0s' } },
    { status: 404 },
    { status: 400, path: '/v1/webhooks/1/rotate', body: { overlap: '31d' } },
  ],
  listWebhookDeliveries: [
    { status: 200, path: '/v1/webhooks/1/deliveries' },
    { status: 200, path: '/v1/webhooks/1/deliveries?state=delivered&limit=1' },
    { status: 404 },
    { status: 400, path: '/v1/webhooks/1/deliveries?state=lost' },
    { status: 400, path: '/v1/webhooks/1/deliveries?limit=101' },
  ],
  // Webhook 1 heard of the first publication above; webhook 2 is disabled.
  redeliverWebhookDelivery: [
    { status: 202, path: '/v1/webhooks/1/deliveries/1/redeliver' },
    { status: 409, path: '/v1/webhooks/2/deliveries/1/redeliver' },
    { status: 404 },
    { status: 404, path: '/v1/webhooks/1/deliveries/999999/redeliver' },
    { status: 400, path: '/v1/webhooks/1/deliveries/none/redeliver' },
  ],
  disableWebhook: [{ status: 200, path: '/v1/webhooks/1/disable', body: { reason: 'moving' } }, { status: 404, body: {} }, { status: 400, path: '/v1/webhooks/1/disable', body: { colour: 'red' } }],
  enableWebhook: [{ status: 200, path: '/v1/webhooks/1/enable' }, { status: 404 }, { status: 400, path: '/v1/webhooks/none/enable' }],
  deleteWebhook: [{ status: 204, path: '/v1/webhooks/1' }, { status: 404 }, { status: 400, path: '/v1/webhooks/none' }],
  listConfig: [{ status: 200 }, { status: 400, path: '/v1/admin/config?colour=red' }],
  setConfig: [{ status: 200, path: '/v1/admin/config/hooks_enabled', body: { value: 'true' } }, { status: 400, path: '/v1/admin/config/colour', body: { value: 'red' } }],
  listAudit: [{ status: 200 }, { status: 400, path: '/v1/audit?since=yesterday' }],
  deleteSource: [{ status: 204, path: '/v1/admin/sources/spare' }, { status: 404 }, { status: 400, path: '/v1/admin/sources/a%20b' }],
  deleteDestination: [{ status: 409, path: '/v1/admin/destinations/drain' }, { status: 204, path: '/v1/admin/destinations/spare' }, { status: 404 }, { status: 400, path: '/v1/admin/destinations/a%20b' }],
}

function documentedStatuses(id: string): number[] {
  const operation = OPERATIONS.find((each) => each.id === id) as (typeof OPERATIONS)[number]
  const paths = document.paths as unknown as Record<string, Record<string, { responses: object }>>
  return Object.keys(paths[operation.path]?.[operation.method]?.responses ?? {}).map(Number)
}

describe('the table of statuses', () => {
  it('holds every operation and every status that the contract lists', () => {
    const missing = OPERATIONS.flatMap(({ id }) => {
      const tested = new Set((ROWS[id] ?? []).map((row) => row.status))
      return documentedStatuses(id)
        .filter((status) => !SWEPT.has(status) && !tested.has(status))
        .map((status) => `${id} ${status}`)
    })
    expect(missing).to.deep.equal([])
  })
})

onEachEngine((engine) => {
  describe('every operation', () => {
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine)
      await server.call('post', '/v1/admin/sources').send({ name: 'spare' })
      for (let count = 0; count < 2; count++) await server.call('post', '/v1/webhooks').send({ url: 'http://127.0.0.1:9/hook' })
      await server.call('post', '/v1/webhooks/2/disable')
    })
    after(() => server.stop())

    for (const [id, rows] of Object.entries(ROWS)) {
      const operation = OPERATIONS.find((each) => each.id === id) as (typeof OPERATIONS)[number]
      for (const row of rows) {
        it(`${id} answers ${row.status} ${row.path ?? ''}`, async () => {
          const call = server.call(operation.method as Method, row.path ?? sampleRequest(operation).path).set(row.headers ?? {})
          const answer = await (row.body === undefined ? call : call.type(row.type ?? 'application/json').send(row.body as object))
          expect(answer.status, answer.text).to.equal(row.status)
          if (row.status >= 400) expect((answer.body as { error: string }).error).to.be.a('string').and.not.equal('')
        })
      }
    }

    for (const operation of OPERATIONS.filter(({ id }) => documentedStatuses(id).includes(413))) {
      it(`${operation.id} answers 413 to a body over the limit and 415 to another media type`, async () => {
        const { path } = sampleRequest(operation)
        const large = await server.call(operation.method as Method, path).send(BIG)
        expect(large.status, large.text).to.equal(413)
        const strange = await server.call(operation.method as Method, path).type('text/csv').send('a,b')
        expect(strange.status, strange.text).to.equal(415)
        expect((strange.body as { error: string }).error).to.contain('application/json')
      })
    }
  })
})
