import { expect } from 'chai'
import { SETTINGS } from '../../src/settings.ts'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const SPEC = { namespace: 'shop', name: 'paid', version: '1-0-0', properties: { total: { type: 'number', required: true } } }
const VIOLATING = { source: 'web', event_name: 'paid', properties: { total: 'free' } }

interface Setting {
  key: string
  value: string
  default: string
  type: string
  description: string
  updated_at: string | null
  updated_by: string | null
}

onEachEngine((engine) => {
  describe('the settings', () => {
    let server: TestServer

    before(async () => {
      server = await startTestServer(engine)
      expect((await server.call('post', '/v1/admin/sources').send({ name: 'web' })).status).to.equal(201)
      expect((await server.call('post', '/v1/events').send(SPEC)).status).to.equal(201)
    })
    after(() => server.stop())

    const read = async () => (await server.call('get', '/v1/admin/config')).body as Setting[]
    const set = (key: string, value: unknown) => server.call('put', `/v1/admin/config/${key}`).send({ value })
    const reset = async () => {
      for (const { key, value, default: fallback } of await read()) if (value !== fallback) expect((await set(key, fallback)).status).to.equal(200)
    }
    const track = (body: object) => server.call('post', '/v1/track').send(body)
    const batch = (...events: object[]) => server.call('post', '/v1/batch').send({ source: 'web', events })

    it('are all read, sorted by key, at their defaults and changed by nobody', async () => {
      const settings = await read()
      expect(settings.map(({ key }) => key)).to.deep.equal(SETTINGS.map(({ key }) => key)).and.to.deep.equal(settings.map(({ key }) => key).sort())
      for (const setting of settings) {
        expect(setting).to.have.all.keys('key', 'value', 'default', 'type', 'description', 'updated_at', 'updated_by')
        expect(setting.value).to.be.a('string').and.to.equal(setting.default)
        expect(['boolean', 'enum', 'integer', 'duration']).to.include(setting.type)
        expect([setting.updated_at, setting.updated_by]).to.deep.equal([null, null])
      }
    })

    it('are changed by PUT with 200 and the setting, which reads so from then on, by whom and when', async () => {
      const startedAt = Date.now()
      const answer = await set('relay_retention', '48h')
      expect(answer.status).to.equal(200)
      expect(answer.body).to.include({ key: 'relay_retention', value: '48h', default: '24h', type: 'duration', updated_by: 'root' })
      expect(answer.body.updated_at).to.match(TIME)
      expect(Date.parse(answer.body.updated_at as string)).to.be.within(startedAt, Date.now())
      expect((await read()).find(({ key }) => key === 'relay_retention')).to.deep.equal(answer.body)
      await reset()
    })

    it('stay over a restart', async () => {
      await set('max_batch_items', '17')
      await server.restart()
      expect((await read()).find(({ key }) => key === 'max_batch_items')).to.include({ value: '17', updated_by: 'root' })
      await reset()
    })

    for (const key of ['colour', 'HOOKS_ENABLED', 'hooks_enabled%20', '__proto__', 'constructor']) {
      it(`do not include ${key}: 400 lists those that there are`, async () => {
        const answer = await set(key, 'true')
        expect(answer.status).to.equal(400)
        for (const known of SETTINGS) expect(answer.body.error).to.contain(known.key)
      })
    }

    const BAD: [key: string, value: unknown, says: string][] = [
      ['hooks_enabled', 'perhaps', '"true", "false"'],
      ['hooks_enabled', '', '"true", "false"'],
      ['relay_validation', 'Block', '"quarantine", "block", "allow"'],
      ['relay_unplanned', 'deny', '"allow", "quarantine", "block"'],
      ['version_policy', 'strict', '"enforce", "warn", "off"'],
      ['max_batch_items', '0', '1 to 2500'],
      ['max_batch_items', '2501', '1 to 2500'],
      ['max_event_bytes', '12', '1024 to 1048576'],
      ['relay_retention', 'forever', '24h'],
      ['relay_retry_for', '1s', '1m'],
      ['audit_retention', '1h', '1d'],
      ['hooks_enabled', true, 'value'],
      ['max_batch_items', 5, 'value'],
      ['hooks_enabled', null, 'value'],
      ['hooks_enabled', 'x'.repeat(201), 'value'],
    ]
    for (const [key, value, says] of BAD) {
      it(`refuse ${JSON.stringify(value).slice(0, 20)} for ${key}: 400 that says ${says}, and keep their value`, async () => {
        const before = await read()
        const answer = await set(key, value)
        expect(answer.status, answer.text).to.equal(400)
        expect(answer.body.error).to.contain(says)
        expect(await read()).to.deep.equal(before)
      })
    }

    describe('act on the very next request', () => {
      afterEach(() => reset())

      it('hooks_enabled = false lets a violating event pass, true stops it again, ten times over', async () => {
        for (let round = 0; round < 10; round++) {
          expect((await track(VIOLATING)).body.status, `round ${round}`).to.equal('quarantined')
          await set('hooks_enabled', 'false')
          const passed = await track(VIOLATING)
          expect(passed.body, `round ${round}`).to.include({ status: 'accepted' }).and.not.to.have.property('violations')
          await set('hooks_enabled', 'true')
        }
      })

      it('hooks_enabled = false also lets pass what sampling would drop and what is not planned', async () => {
        await server.call('post', '/v1/events').send({ namespace: 'shop', name: 'sampled', sampling: { strategy: 'random', rate: 0 } })
        await set('relay_unplanned', 'block')
        expect((await track({ source: 'web', event_name: 'sampled' })).body.status).to.equal('sampled_out')
        expect((await track({ source: 'web', event_name: 'unheard-of' })).status).to.equal(400)
        await set('hooks_enabled', 'false')
        expect((await track({ source: 'web', event_name: 'sampled' })).body.status).to.equal('accepted')
        expect((await track({ source: 'web', event_name: 'unheard-of' })).body.status).to.equal('accepted')
      })

      it('relay_validation decides over an event that violates its spec', async () => {
        const quarantined = await track(VIOLATING)
        expect([quarantined.status, quarantined.body.status]).to.deep.equal([202, 'quarantined'])
        expect(quarantined.body.violations[0]).to.include({ path: '/properties/total' })
        await set('relay_validation', 'block')
        const blocked = await track({ ...VIOLATING, message_id: 'blocked-1' })
        expect(blocked.status).to.equal(400)
        expect(blocked.body.violations[0]).to.include({ path: '/properties/total' })
        await set('relay_validation', 'allow')
        const allowed = await track({ ...VIOLATING, message_id: 'blocked-1' })
        expect([allowed.status, allowed.body.status]).to.deep.equal([202, 'accepted'])
        expect(allowed.body.violations[0]).to.include({ path: '/properties/total' })
      })

      it('relay_validation = block stores of a batch what passes, and says per item what does not', async () => {
        await set('relay_validation', 'block')
        const good = { type: 'track', event_name: 'paid', properties: { total: 1 }, message_id: 'batch-good' }
        const bad = { type: 'track', event_name: 'paid', properties: {}, message_id: 'batch-bad' }
        const mixed = await batch(bad, good)
        expect(mixed.status).to.equal(202)
        expect(mixed.body).to.include({ accepted: 1, blocked: 1 })
        expect(mixed.body.items).to.have.length(1)
        expect(mixed.body.items[0]).to.include({ index: 0, status: 'blocked', message_id: 'batch-bad' })
        expect((await batch(good, bad)).body).to.include({ duplicates: 1, blocked: 1 })
      })

      it('relay_validation = block answers 400 to a batch of which nothing passes', async () => {
        await set('relay_validation', 'block')
        const bad = { type: 'track', event_name: 'paid', properties: {} }
        const refused = await batch(bad, bad)
        expect(refused.status).to.equal(400)
        expect(refused.body.violations.map(({ index }: { index: number }) => index)).to.deep.equal([0, 1])
        expect(refused.body.error).to.contain('every event of the batch')
      })

      it('relay_unplanned decides over an event without a spec', async () => {
        const unplanned = { source: 'web', event_name: 'unheard-of' }
        expect((await track(unplanned)).body.status).to.equal('accepted')
        await set('relay_unplanned', 'quarantine')
        expect((await track(unplanned)).body.status).to.equal('quarantined')
        await set('relay_unplanned', 'block')
        expect((await track(unplanned)).status).to.equal(400)
        await set('relay_unplanned', 'allow')
        expect((await track(unplanned)).body.status).to.equal('accepted')
      })

      it('max_batch_items bounds a batch, and 413 names the setting', async () => {
        const page = { type: 'page', name: 'Home' }
        expect((await batch(page, page, page)).status).to.equal(202)
        await set('max_batch_items', '2')
        const refused = await batch(page, page, page)
        expect(refused.status).to.equal(413)
        expect(refused.body.error).to.contain('1 to 2 items').and.to.contain('max_batch_items')
        expect((await batch(page, page)).status).to.equal(202)
        await set('max_batch_items', '3')
        expect((await batch(page, page, page)).status).to.equal(202)
      })

      it('max_event_bytes bounds one event, single or in a batch, and 413 names the setting', async () => {
        const big = { event_name: 'big', properties: { padding: 'x'.repeat(2000) } }
        expect((await track({ source: 'web', ...big })).status).to.equal(202)
        await set('max_event_bytes', '1024')
        const refused = await track({ source: 'web', ...big })
        expect(refused.status).to.equal(413)
        expect(refused.body.error).to.contain('1024').and.to.contain('max_event_bytes')
        const batched = await batch({ type: 'page', name: 'Home' }, { type: 'track', ...big })
        expect(batched.status).to.equal(413)
        expect(batched.body.error).to.contain('events[1]')
        await set('max_event_bytes', '4096')
        expect((await track({ source: 'web', ...big })).status).to.equal(202)
      })

      it('max_event_bytes can be raised over its default', async () => {
        const large = { source: 'web', event_name: 'large', properties: { padding: 'x'.repeat(100_000) } }
        expect((await track(large)).status).to.equal(413)
        await set('max_event_bytes', '200000')
        expect((await track(large)).status).to.equal(202)
      })
    })
  })
})
