import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { until } from '../relay/support/relay-database.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Receiver } from '../relay/support/receiver.ts'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const TOKEN = 'a-token-for-prometheus'
const LINE = /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z_]+="[^"]*"(,[a-z_]+="[^"]*")*\})? -?[0-9.e+-]+)$/

onEachEngine((engine) => {
  describe('the metrics', () => {
    let server: TestServer
    let receiver: Receiver

    before(async () => {
      server = await startTestServer(engine, { metricsToken: TOKEN })
      let requests = 0
      receiver = await startReceiver((request) => ((requests += 1) === 1 ? 503 : request.ids.includes('bad') ? 400 : 200))
      await server.call('post', '/v1/admin/destinations').send({ name: 'sink', provider: 'http', config: { url: receiver.url } })
      await server.call('post', '/v1/admin/destinations').send({ name: 'held', provider: 'http', config: { url: receiver.url } })
      await server.call('post', '/v1/admin/destinations/held/pause')
      await server.call('post', '/v1/admin/sources').send({ name: 'web', destinations: ['sink', 'held'] })
    })
    after(async () => {
      await server.stop()
      await receiver.close()
    })

    const read = async () => (await server.call('get', '/metrics', TOKEN)).text

    it('count what comes in, what is delivered, failed and retried, and what waits', async () => {
      const events = ['m1', 'm2', 'bad', 'm1'].map((id) => ({ type: 'page', name: 'Home', message_id: id }))
      await server.call('post', '/v1/batch').send({ source: 'web', events })
      await server.call('post', '/v1/page').send({ source: 'web', name: 'Home', message_id: 'm3' })
      await until(async () => (await read()).includes('signalbook_deliveries_total{destination="sink",outcome="delivered"} 3'), 'the deliveries')
      const text = await read()
      for (const line of [
        'signalbook_events_total{source="web",status="accepted"} 4',
        'signalbook_events_total{source="web",status="duplicate"} 1',
        'signalbook_deliveries_total{destination="sink",outcome="failed"} 1',
        'signalbook_delivery_retries_total{destination="sink"} 1',
        'signalbook_backlog_events{destination="sink"} 0',
        'signalbook_backlog_events{destination="held"} 4',
        'signalbook_destination_state{destination="held",state="paused"} 1',
        'signalbook_group_commit_events_count 2',
        'signalbook_group_commit_events_sum 5',
        'signalbook_group_commit_duration_seconds_count 2',
        'signalbook_http_request_duration_seconds_count{operation="batch",status="2xx"} 1',
        'signalbook_database_up 1',
      ]) {
        expect(text.split('\n'), line).to.include(line)
      }
      expect(Number(/^signalbook_oldest_pending_age_seconds\{destination="held"\} (.+)$/m.exec(text)?.[1])).to.be.greaterThan(0)
    })

    it('are well-formed Prometheus text with rising buckets, and name nothing that is not registered', async () => {
      await server.call('post', '/v1/page').send({ source: 'nobody', name: 'Home' })
      await server.call('get', '/v1/no/such/path')
      const answer = await server.call('get', '/metrics')
      expect(answer.headers['content-type']).to.equal('text/plain; version=0.0.4; charset=utf-8')
      expect(answer.text.endsWith('\n')).to.equal(true)
      expect(answer.text.trimEnd().split('\n').filter((line) => !LINE.test(line))).to.deep.equal([])
      const buckets = [...answer.text.matchAll(/^signalbook_http_request_duration_seconds_bucket\{operation="batch",status="2xx",le="[^"]+"\} (\d+)$/gm)].map((match) => Number(match[1]))
      expect(buckets).to.have.length(15).and.deep.equal(buckets.toSorted((a, b) => a - b))
      expect(answer.text).not.to.match(/nobody|no\/such/)
      expect(answer.text).to.contain('operation="none",status="4xx"')
    })

    it('are read with METRICS_TOKEN, which opens nothing else, or with an admin key', async () => {
      expect((await server.call('get', '/metrics', TOKEN)).status).to.equal(200)
      expect((await server.call('get', '/metrics', `${TOKEN}x`)).status).to.equal(401)
      expect((await server.call('get', '/metrics', '')).status).to.equal(401)
      expect((await server.call('get', '/metrics', (await server.keyFor('viewer')).key)).status).to.equal(403)
      expect((await server.call('get', '/v1/audit', TOKEN)).status).to.equal(401)
    })
  })
})

describe('METRICS_TOKEN', () => {
  it('is taken from the environment and refused when it is too short to protect anything', () => {
    expect(readConfig({ METRICS_TOKEN: TOKEN }).metricsToken).to.equal(TOKEN)
    expect(readConfig({}).metricsToken).to.equal(undefined)
    for (const bad of ['short', 'has spaces in it, many']) expect(() => readConfig({ METRICS_TOKEN: bad })).to.throw('METRICS_TOKEN must be 16 to 200')
  })
})
