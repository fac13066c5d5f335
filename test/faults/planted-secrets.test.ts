import { readFile, readdir } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Receiver } from '../relay/support/receiver.ts'
import { until } from '../relay/support/relay-database.ts'
import { amount } from '../support/amount.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { spawnService } from '../support/process.ts'
import type { ServiceProcess } from '../support/process.ts'

const CALLS = amount('K2_CALLS', 1000, 1000)

/** A text that is found again wherever it lands. */
function plant(name: string): string {
  return `planted-${name}-${randomBytes(12).toString('hex')}`
}

/** Every provider that takes credentials, with all of them, sending to `endpoint`. */
function destinationsAt(endpoint: string): { provider: string; config: Record<string, unknown>; secrets: string[] }[] {
  const [header, http, segment, rudderstack, jitsu, amplitude, mixpanel, account, posthog, ga, customerio, clickhouse, file] = [
    'header', 'http', 'segment', 'rudderstack', 'jitsu', 'amplitude', 'mixpanel', 'account', 'posthog', 'ga', 'customerio', 'clickhouse', 'file',
  ].map(plant) as [string, string, string, string, string, string, string, string, string, string, string, string, string]
  const signing = `whsec_${randomBytes(32).toString('base64')}`
  return [
    { provider: 'http', config: { url: endpoint, api_key: http, headers: { 'X-Token': header }, signing_secret: signing }, secrets: [http, header, signing] },
    { provider: 'segment', config: { api_key: segment, endpoint }, secrets: [segment] },
    { provider: 'rudderstack', config: { api_key: rudderstack, endpoint }, secrets: [rudderstack] },
    { provider: 'jitsu', config: { api_key: jitsu, endpoint }, secrets: [jitsu] },
    { provider: 'amplitude', config: { api_key: amplitude, endpoint }, secrets: [amplitude] },
    { provider: 'mixpanel', config: { api_key: mixpanel, service_account_username: 'relay', service_account_secret: account, project_id: '1', endpoint }, secrets: [mixpanel, account] },
    { provider: 'posthog', config: { api_key: posthog, endpoint }, secrets: [posthog] },
    { provider: 'google-analytics', config: { api_secret: ga, measurement_id: 'G-AB12CD34EF', endpoint }, secrets: [ga] },
    { provider: 'customerio', config: { api_key: customerio, site_id: 'site', endpoint }, secrets: [customerio] },
    { provider: 'clickhouse', config: { password: clickhouse, username: 'relay', table: 'events', url: endpoint }, secrets: [clickhouse] },
    { provider: 'file', config: { path: 'events.ndjson', api_key: file }, secrets: [file] },
  ]
}

/** Everything that stands in the database, as one text per file or table. */
async function contentsOf(home: TestDatabase): Promise<Record<string, string>> {
  if (home.target.engine === 'sqlite') {
    const directory = dirname(home.target.filename)
    const files = (await readdir(directory)).filter((name) => name.includes('.db'))
    return Object.fromEntries(await Promise.all(files.map(async (name) => [name, await readFile(join(directory, name), 'latin1')] as const)))
  }
  const db = openDatabase(home.target)
  try {
    const [tables] = (await db.knex.raw('SHOW TABLES')) as [Record<string, string>[]]
    const names = tables.map((row) => Object.values(row)[0] as string)
    return Object.fromEntries(await Promise.all(names.map(async (name) => [name, JSON.stringify(await db.knex(name))] as const)))
  } finally {
    await closeDatabase(db)
  }
}

onEachEngine((engine) => {
  describe('secrets that were planted', function () {
    this.timeout(120_000 + CALLS * 60)
    let home: TestDatabase
    let receiver: Receiver
    let service: ServiceProcess

    before(async () => {
      home = await createTestDatabase(engine)
      // It answers what a careless vendor would: with everything that it was sent.
      receiver = await startReceiver(({ headers, body }, index) => ({ status: [400, 401, 500, 200][index % 4] as number, body: `refused: ${JSON.stringify(headers)} ${body}` }))
      service = await spawnService({ DATABASE_URL: home.url, ALLOW_PRIVATE_NETWORKS: 'on', LOG_LEVEL: 'trace', ENCRYPTION_KEY: randomBytes(32).toString('hex') })
    })
    after(async () => {
      if (service.child.exitCode === null) await service.terminate()
      await receiver.close()
      await home.remove()
    })

    it(`stand in no file, table, log line, audit entry or answer after ${CALLS} calls, but for the answer that gives them away once`, async () => {
      const secrets: string[] = []
      const answers: string[] = []
      let adminKey = ''
      let calls = 0
      /** @param once this answer may hold the secret: it is the one that shows it */
      const call = async (method: string, path: string, body?: object, options: { key?: string; once?: boolean } = {}) => {
        calls += 1
        const key = options.key ?? adminKey
        const answer = await fetch(service.url + path, {
          method,
          headers: { 'Content-Type': 'application/json', ...(key === '' ? {} : { Authorization: `Bearer ${key}` }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        const text = await answer.text()
        if (!options.once) answers.push(`${method} ${path} ${answer.status} ${JSON.stringify([...answer.headers])} ${text}`)
        return { status: answer.status, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, string> }
      }
      const makeKey = async (role: string): Promise<string> => {
        const { status, body } = await call('POST', '/v1/admin/keys', { role, name: `a ${role}` }, { once: true })
        expect(status).to.equal(201)
        secrets.push(body['key'] as string)
        return body['key'] as string
      }

      adminKey = await makeKey('admin')
      const viewer = await makeKey('viewer')
      const destinations = destinationsAt(receiver.url)
      for (const { provider, config, secrets: planted } of destinations) {
        secrets.push(...planted)
        const { status, body } = await call('POST', '/v1/admin/destinations', { name: provider, provider, config })
        expect(status, JSON.stringify(body)).to.equal(201)
      }
      await call('POST', '/v1/admin/sources', { name: 'web', destinations: destinations.map(({ provider }) => provider) })
      for (let hook = 0; hook < 3; hook++) {
        const { body } = await call('POST', '/v1/webhooks', { url: receiver.url }, { once: true })
        secrets.push(body['secret'] as string)
      }
      for (const [path, shown] of [['/v1/webhooks/1/rotate', 'secret'], ['/v1/admin/keys/2/rotate', 'key']] as const) {
        const { body } = await call('POST', path, {}, { once: true })
        secrets.push(body[shown] as string)
      }

      const READS = [
        '/v1/admin/destinations', '/v1/admin/deliveries', '/v1/admin/dead-letters', '/v1/admin/quarantine', '/v1/admin/relay/events?limit=50', '/v1/admin/keys', '/v1/admin/config',
        '/v1/webhooks', '/v1/webhooks/1/deliveries', '/v1/audit?limit=200', '/v1/admin/sources', '/v1/sources/web/pull', '/v1/events', '/metrics', '/v1/health',
      ]
      // Each way in which a secret can be sent to the wrong place, or shown by accident.
      const round = async (n: number) => {
        const { provider, config, secrets: planted } = destinations[n % destinations.length] as (typeof destinations)[number]
        const name = provider
        const read = await call('GET', `/v1/admin/destinations/${name}`)
        await call('PUT', `/v1/admin/destinations/${name}`, { name, provider, config: (read.body as unknown as { config: object }).config })
        await call('PUT', `/v1/admin/destinations/${name}`, { name, provider, config })
        await call('POST', '/v1/admin/destinations', { name, provider, config })
        await call('POST', '/v1/admin/destinations', { name: 'other', provider, config: { ...config, nonsense: planted[0] } })
        await call('POST', '/v1/admin/destinations', { name: 'other', provider, config: { ...config, batch_size: planted[0] } })
        await call('POST', `/v1/admin/destinations/${name}/resume`)
        await call('GET', '/v1/admin/keys', undefined, { key: viewer })
        await call('GET', '/v1/admin/keys', undefined, { key: `${viewer}x` })
        await call('GET', '/v1/admin/keys', undefined, { key: planted[0] as string })
        for (const body of [{ source: 'web', user_id: `u-${n}`, event_name: 'Paid', properties: { n } }, { source: 'web', event_name: 7 }]) await call('POST', '/v1/track', body)
        await call('POST', '/v1/batch', { source: 'web', events: [{ type: 'page', name: 'Home', user_id: `u-${n}` }, { type: 'identify', user_id: `u-${n}`, traits: { n } }] })
        if (n % 5 === 0) await call('POST', '/v1/events', { namespace: 'shop', name: `paid_${n}` })
        await call('GET', READS[n % READS.length] as string)
      }
      await call('POST', '/v1/flush?wait=1s')
      for (let n = 0; calls < CALLS - READS.length; n++) await round(n)
      await until(() => receiver.requests.length >= 50, 'deliveries that were answered with what they held', 30_000)
      await call('POST', '/v1/flush?wait=2s')
      for (const path of READS) await call('GET', path)

      const whileRunning = await contentsOf(home)
      expect(await service.terminate()).to.equal(0)
      const afterwards = await contentsOf(home)
      expect(calls).to.be.at.least(CALLS)
      expect(new Set(secrets.filter((secret) => secret?.length > 20)).size).to.equal(21)

      const places: Record<string, string> = { 'a log line': service.output(), 'an answer': answers.join('\n') }
      for (const [name, text] of Object.entries(whileRunning)) places[`${name} while it ran`] = text
      for (const [name, text] of Object.entries(afterwards)) places[`${name} afterwards`] = text
      // That they were looked for where things are: the names that stand beside the secrets are found.
      const everything = Object.values(places).join('\n')
      for (const { provider } of destinations) expect(everything).to.include(provider)
      expect(service.output(), 'log lines').to.have.length.above(10_000)
      expect(found(places, secrets)).to.deep.equal([])
    })

    /** Where a secret stands, plain or as a header of basic authentication would hold it. */
    const found = (places: Record<string, string>, secrets: string[]): string[] =>
      secrets.flatMap((secret) => {
        const forms = [secret, Buffer.from(`${secret}:`).toString('base64'), ...['relay', 'site'].map((user) => Buffer.from(`${user}:${secret}`).toString('base64'))]
        return Object.entries(places).flatMap(([place, text]) => forms.filter((form) => text.includes(form)).map((form) => `${place}: …${text.slice(Math.max(0, text.indexOf(form) - 120), text.indexOf(form) + 60)}`))
      })
  })
})
