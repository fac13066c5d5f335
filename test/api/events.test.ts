import { expect } from 'chai'
import { onEachEngine } from '../support/database.ts'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

interface Spec extends Record<string, unknown> {
  namespace: string
  name: string
  version: string
  status: string
}

interface Change {
  kind: string
  field: string
  path: string
}

/** Everything that a publication must not touch when it writes nothing. */
interface Traces {
  audit: unknown[]
  events: unknown[]
}

const REQUIRED_TOTAL = { total: { type: 'number', required: true } }
const OPTIONAL_TOTAL = { total: { type: 'number' } }

onEachEngine((engine) => {
  describe('event specs', () => {
    let server: TestServer
    let publisherKey: string
    let viewerKey: string
    let named = 0

    before(async () => {
      server = await startTestServer(engine)
      publisherKey = (await server.call('post', '/v1/admin/keys').send({ role: 'publisher', name: 'ci' })).body.key as string
      viewerKey = (await server.keyFor('viewer')).key
    })
    after(() => server.stop())

    /** A name that no other test uses. */
    const freshName = () => `event_${++named}`
    const publish = (spec: object, query = '') => server.call('post', `/v1/events${query}`, publisherKey).send(spec)
    const publishYaml = (text: string, type = 'application/yaml') => server.call('post', '/v1/events', publisherKey).type(type).serialize((raw: unknown) => raw as string).send(text)
    const read = (name: string, version?: string) => server.call('get', `/v1/events/shop/${name}${version === undefined ? '' : `/${version}`}`, viewerKey)
    const setStatus = (name: string, version: string, status: string, extra: { reason?: string; key?: string } = {}) =>
      server.call('put', `/v1/events/shop/${name}/${version}/status`, extra.key ?? publisherKey).send({ status, ...(extra.reason === undefined ? {} : { reason: extra.reason }) })
    const setting = async (key: string, value: string) => expect((await server.call('put', `/v1/admin/config/${key}`).send({ value })).status).to.equal(200)
    const traces = async (): Promise<Traces> => ({ audit: (await server.call('get', '/v1/audit?limit=1000')).body, events: (await server.call('get', '/v1/events')).body })
    const list = async (query: string) => ((await server.call('get', `/v1/events?${query}`, viewerKey)).body as Spec[]).map(({ namespace, name, version }) => `${namespace}/${name}@${version}`)

    describe('are published', () => {
      it('with 201, a Location, and the stored spec with what the registry adds', async () => {
        const name = freshName()
        const answer = await publish({ namespace: 'shop', name, version: '1-0-0', description: 'Paid.', properties: REQUIRED_TOTAL })
        expect(answer.status).to.equal(201)
        expect(answer.headers['location']).to.equal(`/v1/events/shop/${name}/1-0-0`)
        const { published_at, updated_at, warnings, ...rest } = answer.body as Record<string, unknown>
        expect(rest).to.deep.equal({
          namespace: 'shop', name, version: '1-0-0', status: 'active', type: 'track', event_name: name,
          description: 'Paid.', properties: REQUIRED_TOTAL, published_by: 'ci', changes: [], previous_version: null,
        })
        expect(warnings).to.deep.equal([])
        expect(published_at).to.match(TIME).and.to.equal(updated_at)
      })

      it('as YAML and as JSON into equal reads', async () => {
        const [asJson, asYaml] = [freshName(), freshName()]
        const spec = {
          namespace: 'shop', version: '1-2-3', type: 'page', event_name: 'Order — bezahlt', description: 'two\nlines', tags: ['a', 'null', '1.0', 'yes'], owner: '007',
          properties: { total: { type: 'number', minimum: 0.5, maximum: 1e21, required: true }, note: { type: ['string', 'null'], default: null }, when: { type: 'string', examples: ['2026-11-21T09:30:00Z', '12:30', '0x1F'] } },
          additional_properties: false, sampling: { strategy: 'random', rate: 0.25 }, provider_overrides: { ga4: { name: null, list: [1, -2.5, true, false] } },
        }
        const yaml = [
          '%YAML 1.2', '---', 'namespace: shop', `name: ${asYaml}`, 'version: 1-2-3', 'type: page', 'event_name: Order — bezahlt', 'description: |-', '  two', '  lines',
          "tags: [a, 'null', '1.0', yes]", "owner: '007'", 'properties:', '  total: {type: number, minimum: 0.5, maximum: 1e21, required: true}', '  note:', "    type: [string, 'null']", '    default: null',
          '  when:', '    type: string', '    examples:', '      - 2026-11-21T09:30:00Z', '      - 12:30', "      - '0x1F'",
          'additional_properties: false', 'sampling:', '  strategy: random', '  rate: 0.25', 'provider_overrides: {ga4: {name: ~, list: [1, -2.5, true, false]}}', '',
        ].join('\n')
        expect((await publish({ ...spec, name: asJson })).status).to.equal(201)
        const answer = await publishYaml(yaml)
        expect(answer.status, answer.text).to.equal(201)
        const comparable = async (name: string) => {
          const { published_at: _at, updated_at: _updated, name: _name, ...rest } = (await read(name)).body as Record<string, unknown>
          return rest
        }
        expect(await comparable(asYaml)).to.deep.equal(await comparable(asJson))
      })

      for (const type of ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/yaml; charset=utf-8', 'APPLICATION/YAML']) {
        it(`as ${type}`, async () => {
          expect((await publishYaml(`namespace: shop\nname: ${freshName()}\n`, type)).status).to.equal(201)
        })
      }

      it('under version 1-0-0 when the first one names none', async () => {
        const { body } = await publish({ namespace: 'shop', name: freshName(), properties: REQUIRED_TOTAL })
        expect(body).to.deep.include({ version: '1-0-0', previous_version: null, changes: [] })
      })

      it('under a version computed from what changed when none is named', async () => {
        const name = freshName()
        const steps: [spec: object, version: string, kind: string | undefined][] = [
          [{ properties: OPTIONAL_TOTAL }, '1-0-0', undefined],
          [{ properties: OPTIONAL_TOTAL, description: 'Paid.' }, '1-0-1', 'PATCH'],
          [{ properties: { ...OPTIONAL_TOTAL, note: { type: 'string' } }, description: 'Paid.' }, '1-1-0', 'MINOR'],
          [{ properties: { ...REQUIRED_TOTAL, note: { type: 'string' } }, description: 'Paid.' }, '2-0-0', 'MAJOR'],
        ]
        let previous: string | null = null
        for (const [spec, version, kind] of steps) {
          const answer = await publish({ namespace: 'shop', name, ...spec })
          expect(answer.status, answer.text).to.equal(201)
          expect(answer.body).to.include({ version, previous_version: previous })
          expect((answer.body.changes as Change[])[0]?.kind, version).to.equal(kind)
          previous = version
        }
      })

      it('once: the same content again is 201 and changes nothing, with a version and without', async () => {
        const name = freshName()
        const spec = { namespace: 'shop', name, version: '1-0-0', properties: REQUIRED_TOTAL }
        const first = await publish(spec)
        const before = await traces()
        const { version: _version, ...unversioned } = spec
        for (const again of [spec, unversioned, { ...spec, properties: { total: { required: true, type: 'number' } } }, first.body as object]) {
          const answer = await publish(again)
          expect(answer.status, answer.text).to.equal(201)
          expect(answer.body).to.deep.include({ version: '1-0-0', published_at: first.body.published_at, updated_at: first.body.updated_at })
        }
        expect(await traces()).to.deep.equal(before)
      })

      it('in the status that they have, when the same content comes without one', async () => {
        const name = freshName()
        const spec = { namespace: 'shop', name, version: '1-0-0', properties: REQUIRED_TOTAL }
        const { version: _version, ...unversioned } = spec
        await publish(spec)
        const facts = { status: 'deprecated', sunset: '2027-03-31', replaced_by: 'shop/other' }
        expect((await server.call('put', `/v1/events/shop/${name}/1-0-0/status`).send(facts)).status).to.equal(200)
        const before = await traces()
        for (const again of [spec, unversioned]) {
          const answer = await publish(again)
          expect(answer.status, answer.text).to.equal(201)
          expect(answer.body).to.deep.include({ ...facts, version: '1-0-0', changes: [] })
        }
        expect(await traces()).to.deep.equal(before)
        expect((await publish({ ...spec, properties: OPTIONAL_TOTAL })).status, 'other content is still refused').to.equal(409)
        const active = await publish({ ...unversioned, status: 'active' })
        expect(active.body, 'a status that is sent still counts').to.include({ version: '1-0-0', status: 'active' }).and.not.have.property('sunset')
      })

      it('also without a status when they are deleted, which then changes nothing', async () => {
        const name = freshName()
        const spec = { namespace: 'shop', name, version: '1-0-0', properties: REQUIRED_TOTAL }
        await publish(spec)
        for (const status of ['deprecated', 'deleted']) await setStatus(name, '1-0-0', status)
        const answer = await publish(spec)
        expect(answer.status, answer.text).to.equal(201)
        expect(answer.body).to.include({ version: '1-0-0', status: 'deleted' })
      })

      it('for good: other content under the same version is 409, names the way out, and leaves the first', async () => {
        const name = freshName()
        await publish({ namespace: 'shop', name, version: '1-0-0', properties: REQUIRED_TOTAL })
        const before = await traces()
        for (const other of [{ properties: OPTIONAL_TOTAL }, { properties: REQUIRED_TOTAL, description: 'Only words.' }, { properties: REQUIRED_TOTAL, unknown_key: 1 }]) {
          const answer = await publish({ namespace: 'shop', name, version: '1-0-0', ...other })
          expect(answer.status, answer.text).to.equal(409)
          expect(answer.body).to.include({ code: 'conflict' })
          expect(answer.body.error).to.contain(`shop/${name}@1-0-0`).and.to.contain('another version')
        }
        expect(await traces()).to.deep.equal(before)
      })

      it('not with too small a step: 409 with suggested_version and the changes that force it, which then is accepted', async () => {
        const name = freshName()
        await publish({ namespace: 'shop', name, version: '1-0-0', properties: OPTIONAL_TOTAL })
        const breaking = { namespace: 'shop', name, properties: REQUIRED_TOTAL, description: 'Words too.' }
        for (const version of ['1-0-1', '1-1-0']) {
          const answer = await publish({ ...breaking, version })
          expect(answer.status, answer.text).to.equal(409)
          expect(answer.body.suggested_version).to.equal('2-0-0')
          expect((answer.body.changes as Change[]).map(({ kind, field }) => [kind, field])).to.deep.equal([['MAJOR', 'properties']])
          expect(answer.body.error).to.contain('2-0-0')
          expect((await read(name, version)).status).to.equal(404)
        }
        expect((await publish({ ...breaking, version: '2-0-0' })).status).to.equal(201)
      })

      it('behind an old MAJOR line as long as the next version of that line still follows', async () => {
        const name = freshName()
        const v = (version: string, properties: object, extra: object = {}) => publish({ namespace: 'shop', name, version, properties, ...extra })
        await v('1-0-0', OPTIONAL_TOTAL)
        await v('2-0-0', REQUIRED_TOTAL)
        const patched = await v('1-0-1', OPTIONAL_TOTAL, { description: 'Back-patched.' })
        expect(patched.status, patched.text).to.equal(201)
        expect(patched.body.previous_version).to.equal('1-0-0')
        expect((await read(name)).body.version).to.equal('2-0-0')
        expect((await v('1-0-2', REQUIRED_TOTAL)).status).to.equal(409)
      })

      it('by exactly one of 50 simultaneous calls with different bodies: 1 × 201 and 49 × 409', async () => {
        const name = freshName()
        const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => publish({ namespace: 'shop', name, version: '1-0-0', description: `Body ${index}.` })))
        expect(answers.filter(({ status }) => status === 201)).to.have.length(1)
        expect(answers.filter(({ status }) => status === 409)).to.have.length(49)
        const winner = answers.find(({ status }) => status === 201)
        expect((await read(name, '1-0-0')).body.description).to.equal(winner?.body.description)
        expect((await read(name)).body.description).to.equal(winner?.body.description)
      })

      it('under 20 different versions by 20 simultaneous calls without a version and with different words', async () => {
        const name = freshName()
        const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => publish({ namespace: 'shop', name, description: `Words ${index}.` })))
        expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 201))
        expect(new Set(answers.map(({ body }) => body.version as string)).size).to.equal(20)
      })

      it('with the keys that the service does not know, as they are', async () => {
        const name = freshName()
        const extra = { provider_overrides: { amplitude: { skip: true } }, destinations: ['warehouse'], property_priority: ['total'], 'x-team': null, '42': 'number-like', $id: 'https://example.com/x', nested: { deep: [{ a: [] }] } }
        expect((await publish({ namespace: 'shop', name, version: '1-0-0', ...extra })).status).to.equal(201)
        expect((await read(name)).body).to.deep.include(extra)
      })

      it('without the keys that only answers hold, so that an answer can be published as it is', async () => {
        const name = freshName()
        const sent = { published_at: '1999-01-01T00:00:00Z', published_by: 'mallory', updated_at: '1999-01-01T00:00:00Z', changes: [{ kind: 'MAJOR' }], previous_version: '0-0-1', warnings: ['w'] }
        const { body } = await publish({ namespace: 'shop', name, version: '1-0-0', ...sent })
        expect(body).to.deep.include({ published_by: 'ci', changes: [], previous_version: null })
        const stored = (await read(name)).body as Record<string, unknown>
        expect(stored).not.to.have.any.keys('changes', 'previous_version', 'warnings')
        expect(stored['published_at']).not.to.equal(sent.published_at)
      })
    })

    describe('are tried with dry_run', () => {
      it('with 200, the answer of a publication, and no trace', async () => {
        const name = freshName()
        await publish({ namespace: 'shop', name, version: '1-0-0', properties: OPTIONAL_TOTAL })
        const before = await traces()
        const answer = await publish({ namespace: 'shop', name, properties: REQUIRED_TOTAL }, '?dry_run=true')
        expect(answer.status).to.equal(200)
        expect(answer.headers).not.to.have.property('location')
        expect(answer.body).to.include({ version: '2-0-0', previous_version: '1-0-0', status: 'active' })
        expect((answer.body.changes as Change[])[0]).to.include({ kind: 'MAJOR', field: 'properties', path: '/properties/total' })
        expect(await traces()).to.deep.equal(before)
        expect((await read(name, '2-0-0')).status).to.equal(404)
      })

      it('with the refusals of a publication', async () => {
        const name = freshName()
        await publish({ namespace: 'shop', name, version: '1-0-0', properties: OPTIONAL_TOTAL })
        expect((await publish({ namespace: 'shop', name, version: '1-0-1', properties: REQUIRED_TOTAL }, '?dry_run=true')).body).to.include({ suggested_version: '2-0-0' })
        expect((await publish({ namespace: 'shop', name, version: '1-0-0', properties: REQUIRED_TOTAL }, '?dry_run=true')).status).to.equal(409)
        expect((await publish({ namespace: 'shop', name: 'a b' }, '?dry_run=true')).status).to.equal(400)
        expect((await server.call('post', '/v1/events?dry_run=true', viewerKey).send({ namespace: 'shop', name })).status).to.equal(403)
      })

      it('of a status change, which is not made', async () => {
        const name = freshName()
        const spec = { namespace: 'shop', name, version: '1-0-0' }
        await publish(spec)
        expect((await publish({ ...spec, status: 'deprecated' }, '?dry_run=true')).body.status).to.equal('deprecated')
        expect((await read(name)).body.status).to.equal('active')
      })

      it('and written when dry_run is false', async () => {
        const name = freshName()
        expect((await publish({ namespace: 'shop', name }, '?dry_run=false')).status).to.equal(201)
        expect((await read(name)).status).to.equal(200)
      })
    })

    describe('change their status', () => {
      /** A version of a new event, brought to a status by allowed steps. */
      const specAt = async (status: string): Promise<string> => {
        const name = freshName()
        await publish({ namespace: 'shop', name, version: '1-0-0', status: status === 'draft' ? 'draft' : 'active' })
        if (status === 'deprecated' || status === 'deleted') expect((await setStatus(name, '1-0-0', 'deprecated')).status).to.equal(200)
        if (status === 'deleted') expect((await setStatus(name, '1-0-0', 'deleted')).status).to.equal(200)
        return name
      }

      // Rows: from, to, what a publisher gets, what an admin with a reason gets.
      const STEPS: [from: string, to: string, publisher: number, adminWithReason: number][] = [
        ['draft', 'active', 200, 200],
        ['draft', 'deprecated', 409, 409],
        ['draft', 'deleted', 409, 409],
        ['active', 'draft', 409, 409],
        ['active', 'deprecated', 200, 200],
        ['active', 'deleted', 409, 409],
        ['deprecated', 'draft', 409, 409],
        ['deprecated', 'active', 200, 200],
        ['deprecated', 'deleted', 200, 200],
        ['deleted', 'draft', 409, 409],
        ['deleted', 'deprecated', 403, 200],
        ['deleted', 'active', 403, 200],
      ]
      for (const [from, to, publisher, adminWithReason] of STEPS) {
        it(`from ${from} to ${to}: ${publisher} for a publisher, ${adminWithReason} for an admin with a reason`, async () => {
          const name = await specAt(from)
          const first = await setStatus(name, '1-0-0', to, { reason: 'because' })
          expect(first.status, first.text).to.equal(publisher)
          expect((await read(name, '1-0-0')).body.status).to.equal(publisher === 200 ? to : from)
          const second = await setStatus(await specAt(from), '1-0-0', to, { reason: 'because', key: server.adminKey })
          expect(second.status, second.text).to.equal(adminWithReason)
          for (const answer of [first, second]) if (answer.status !== 200) expect(answer.body.error).to.be.a('string').with.length.greaterThan(20)
        })
      }

      it('back from deleted not without a reason, also for an admin', async () => {
        const name = await specAt('deleted')
        for (const extra of [{}, { reason: '' }]) {
          const answer = await setStatus(name, '1-0-0', 'active', { key: server.adminKey, ...extra })
          expect(answer.status).to.equal(400)
          expect(answer.body.error).to.contain('reason')
        }
        expect((await read(name, '1-0-0')).body.status).to.equal('deleted')
      })

      it('to the one they have with 200 and without a trace', async () => {
        for (const status of ['draft', 'active', 'deprecated', 'deleted']) {
          const name = await specAt(status)
          const before = await traces()
          expect((await setStatus(name, '1-0-0', status)).status, status).to.equal(200)
          expect(await traces()).to.deep.equal(before)
        }
      })

      it('not by viewers, and not when they do not exist', async () => {
        const name = await specAt('active')
        expect((await setStatus(name, '1-0-0', 'deprecated', { key: viewerKey })).status).to.equal(403)
        expect((await setStatus(name, '1-0-1', 'deprecated')).status).to.equal(404)
        expect((await setStatus('nothing', '1-0-0', 'deprecated')).status).to.equal(404)
        expect((await setStatus(name, '1.0.0', 'deprecated')).status).to.equal(400)
        expect((await setStatus(name, '1-0-0', 'retired')).status).to.equal(400)
      })

      it('with one audit entry that holds both and the reason', async () => {
        const name = await specAt('active')
        await setStatus(name, '1-0-0', 'deprecated', { reason: 'replaced by 2-0-0' })
        const [entry] = ((await server.call('get', '/v1/audit?entity=event&limit=1')).body as Record<string, unknown>[])
        expect(entry).to.deep.include({ action: 'status_changed', entity_id: `shop/${name}@1-0-0`, before: { status: 'active' }, after: { status: 'deprecated' }, reason: 'replaced by 2-0-0' })
      })

      it('also by a publication that differs in nothing else, by the same rules', async () => {
        const name = freshName()
        const spec = { namespace: 'shop', name, version: '1-0-0', properties: REQUIRED_TOTAL }
        await publish(spec)
        const deprecated = await publish({ ...spec, status: 'deprecated' })
        expect(deprecated.status).to.equal(201)
        expect((deprecated.body.changes as Change[]).map(({ field }) => field)).to.deep.equal(['status'])
        expect((await read(name)).body.status).to.equal('deprecated')
        expect((await publish({ ...spec, status: 'draft' })).status).to.equal(409)
        expect((await publish({ ...spec, status: 'deleted' })).status).to.equal(201)
        expect((await publish({ ...spec, status: 'active' })).status).to.equal(403)
        expect((await server.call('post', '/v1/events').send({ ...spec, status: 'active' })).status).to.equal(400)
        expect((await publish({ ...spec, status: 'deprecated', properties: OPTIONAL_TOTAL })).status).to.equal(409)
      })

      it('from draft to active not past the version rule', async () => {
        const name = freshName()
        await publish({ namespace: 'shop', name, version: '1-0-0', properties: OPTIONAL_TOTAL })
        const draft = await publish({ namespace: 'shop', name, version: '1-0-1', status: 'draft', properties: REQUIRED_TOTAL })
        expect(draft.status).to.equal(201)
        expect((draft.body.warnings as { rule: string }[]).map(({ rule }) => rule)).to.include('version.under-bumped')
        const answer = await setStatus(name, '1-0-1', 'active')
        expect(answer.status, 'a breaking change under a PATCH version comes into force').to.equal(409)
        expect(answer.body.suggested_version).to.equal('2-0-0')
      })
    })

    describe('that are drafts', () => {
      it('may be overwritten, keep the time of their first publication, and say so in the audit log', async () => {
        const name = freshName()
        const first = await publish({ namespace: 'shop', name, version: '1-0-0', status: 'draft', description: 'One.' })
        const second = await publish({ namespace: 'shop', name, version: '1-0-0', status: 'draft', description: 'Two.' })
        expect(second.status).to.equal(201)
        expect(second.body).to.deep.include({ description: 'Two.', published_at: first.body.published_at })
        const entries = ((await server.call('get', '/v1/audit?entity=event&limit=2')).body as { action: string; before: Spec | null }[])
        expect(entries.map(({ action }) => action)).to.deep.equal(['overwritten', 'published'])
        expect(entries[0]?.before?.['description']).to.equal('One.')
      })

      it('become active by a publication, and are immutable from then on', async () => {
        const name = freshName()
        const spec = { namespace: 'shop', name, version: '1-0-0', properties: OPTIONAL_TOTAL }
        await publish({ ...spec, status: 'draft', properties: REQUIRED_TOTAL })
        expect((await publish(spec)).status).to.equal(201)
        expect((await read(name)).body).to.deep.include({ status: 'active', properties: OPTIONAL_TOTAL })
        expect((await publish({ ...spec, status: 'draft', properties: REQUIRED_TOTAL })).status).to.equal(409)
      })
    })

    describe('have as their latest', () => {
      const publishAll = async (versions: [version: string, status: string][]): Promise<string> => {
        const name = freshName()
        for (const [version, status] of versions) {
          const answer = await publish({ namespace: 'shop', name, version, description: `Version ${version}.`, status })
          expect(answer.status, answer.text).to.equal(201)
        }
        return name
      }
      const CASES: [versions: [version: string, status: string][], latest: string | undefined][] = [
        [[['1-0-0', 'active'], ['2-0-0', 'active']], '2-0-0'],
        [[['2-0-0', 'active'], ['10-0-0', 'active'], ['9-9-9', 'active']], '10-0-0'],
        [[['1-2-0', 'active'], ['1-10-0', 'active']], '1-10-0'],
        [[['1-0-9', 'active'], ['1-0-10', 'active']], '1-0-10'],
        [[['1-0-0', 'active'], ['2-0-0', 'deprecated']], '1-0-0'],
        [[['1-0-0', 'active'], ['2-0-0', 'draft']], '1-0-0'],
        [[['1-0-0', 'active'], ['2-0-0', 'deleted']], '1-0-0'],
        [[['1-0-0', 'deprecated'], ['2-0-0', 'deprecated'], ['3-0-0', 'deleted']], '2-0-0'],
        [[['1-0-0', 'draft']], undefined],
        [[['1-0-0', 'deleted'], ['1-1-0', 'draft']], undefined],
      ]
      for (const [versions, latest] of CASES) {
        it(`${latest ?? 'none, a 404,'} of ${versions.map(([version, status]) => `${version} ${status}`).join(', ')}`, async () => {
          await setting('version_policy', 'off')
          try {
            const name = await publishAll(versions)
            const answer = await read(name)
            expect(answer.status === 404 ? undefined : answer.body.version).to.equal(latest)
            expect(await list(`namespace=shop&latest=true&q=${name}`)).to.satisfy((found: string[]) => found.includes(`shop/${name}@${latest}`) === (latest !== undefined))
            for (const [version, status] of versions) expect((await read(name, version)).body).to.include({ version, status })
          } finally {
            await setting('version_policy', 'enforce')
          }
        })
      }

      it('nothing where there is nothing: 404 with a sentence', async () => {
        for (const path of ['/v1/events/shop/nothing', '/v1/events/nowhere/nothing', '/v1/events/shop/nothing/1-0-0']) {
          const answer = await server.call('get', path, viewerKey)
          expect(answer.status).to.equal(404)
          expect(answer.body.error).to.contain('nothing')
        }
      })

      it('by names whose case counts', async () => {
        const name = freshName()
        await publish({ namespace: 'shop', name })
        expect((await read(name.toUpperCase())).status).to.equal(404)
        expect((await server.call('get', `/v1/events/SHOP/${name}`, viewerKey)).status).to.equal(404)
      })
    })

    describe('are listed', () => {
      before(async () => {
        const specs = [
          { name: 'a1', version: '1-0-0', tags: ['checkout', 'revenue'], owner: 'team-a', description: 'Someone said "hi".' },
          { name: 'a1', version: '1-10-0', tags: ['checkout'], owner: 'team-a', display_name: 'Größe', properties: { basket_size: { type: 'integer' } } },
          { name: 'a1', version: '1-9-0', tags: ['other'], owner: 'team-b', properties: { basket_size: { type: 'integer' } } },
          { name: 'b2', version: '1-0-0', type: 'identify', status: 'deprecated', owner: 'team-b' },
          { name: 'b2', version: '2-0-0', type: 'identify', status: 'draft', event_name: 'User Signed Up' },
          { name: 'c3', version: '1-0-0', type: 'page', status: 'deleted', description: 'C:\\path\\to' },
        ]
        await setting('version_policy', 'off')
        for (const spec of specs) expect((await publish({ namespace: 'lists', ...spec })).status).to.equal(201)
        await publish({ namespace: 'lists.sub', name: 'a1' })
        await publish({ namespace: 'list', name: 'a1' })
        await setting('version_policy', 'enforce')
      })

      const FILTERS: [query: string, found: string[]][] = [
        ['', ['a1@1-10-0', 'a1@1-9-0', 'a1@1-0-0', 'b2@2-0-0', 'b2@1-0-0', 'c3@1-0-0']],
        ['status=active', ['a1@1-10-0', 'a1@1-9-0', 'a1@1-0-0']],
        ['status=deprecated', ['b2@1-0-0']],
        ['status=deleted', ['c3@1-0-0']],
        ['status=draft', ['b2@2-0-0']],
        ['type=identify', ['b2@2-0-0', 'b2@1-0-0']],
        ['type=page', ['c3@1-0-0']],
        ['type=alias', []],
        ['latest=true', ['a1@1-10-0', 'b2@1-0-0']],
        ['latest=false', ['a1@1-10-0', 'a1@1-9-0', 'a1@1-0-0', 'b2@2-0-0', 'b2@1-0-0', 'c3@1-0-0']],
        ['latest=true&status=active', ['a1@1-10-0']],
        ['latest=true&status=draft', []],
        ['latest=true&type=identify', ['b2@1-0-0']],
        ['tag=checkout', ['a1@1-10-0', 'a1@1-0-0']],
        ['tag=checkout&latest=true', ['a1@1-10-0']],
        ['tag=revenue&latest=true', []],
        ['tag=check', []],
        ['owner=team-b', ['a1@1-9-0', 'b2@1-0-0']],
        ['owner=team-b&status=active', ['a1@1-9-0']],
        ['q=basket', ['a1@1-10-0', 'a1@1-9-0']],
        ['q=BASKET_size', ['a1@1-10-0', 'a1@1-9-0']],
        ['q=team-a%20basket', ['a1@1-10-0']],
        ['q=%20basket%20%20team-a%20', ['a1@1-10-0']],
        ['q=signed%20up', ['b2@2-0-0']],
        ['q=gr%C3%B6%C3%9Fe', ['a1@1-10-0']],
        ['q=revenue', ['a1@1-0-0']],
        [`q=${encodeURIComponent('"hi"')}`, ['a1@1-0-0']],
        [`q=${encodeURIComponent('c:\\path')}`, ['c3@1-0-0']],
        ['q=null', []],
        [`q=${encodeURIComponent('["')}`, []],
        ['q=nonesuch', []],
      ]
      for (const [query, found] of FILTERS) {
        it(`with ${query || 'no filter but the namespace'} as ${found.join(', ') || 'nothing'}`, async () => {
          expect(await list(`namespace=lists&${query}`.replace(/&$/, ''))).to.deep.equal(found.map((id) => `lists/${id}`))
        })
      }

      it('by exactly the namespace that was asked for', async () => {
        expect(await list('namespace=lists.sub')).to.deep.equal(['lists.sub/a1@1-0-0'])
        for (const namespace of ['LISTS', 'lists%20', '%20lists', 'lis', 'lists%25', 'nowhere', '0']) expect(await list(`namespace=${namespace}`), namespace).to.deep.equal([])
      })

      for (const query of ['status=gone', 'type=dance', 'latest=maybe', 'limit=0', 'limit=1001', 'limit=ten', 'colour=red', 'cursor=nonsense', `cursor=${Buffer.from('["a","b","c"]').toString('base64url')}x!`]) {
        it(`not with ${query}: 400`, async () => {
          const answer = await server.call('get', `/v1/events?${query}`, viewerKey)
          expect(answer.status, answer.text).to.equal(400)
        })
      }

      it('in the order of namespace, name and newest version, and page by Link until each was seen once', async () => {
        const all = await list('')
        expect(all.length).to.be.greaterThan(20)
        const sorted = [...all].sort((one, other) => compareIds(one, other))
        expect(all).to.deep.equal(sorted)
        for (const limit of [1, 3, 7]) {
          const seen: string[] = []
          let path: string | undefined = `/v1/events?limit=${limit}`
          while (path !== undefined) {
            const page = await server.call('get', path, viewerKey)
            expect(page.body).to.have.length.within(1, limit)
            seen.push(...(page.body as Spec[]).map(({ namespace, name, version }) => `${namespace}/${name}@${version}`))
            path = /^<(.+)>; rel="next"$/.exec(page.headers['link'] ?? '')?.[1]
          }
          expect(seen).to.deep.equal(all)
        }
      })

      it('page by page with their filters, and go on where they were when versions are added meanwhile', async () => {
        const first = await server.call('get', '/v1/events?namespace=lists&status=active&limit=2', viewerKey)
        expect((first.body as Spec[]).map(({ version }) => version)).to.deep.equal(['1-10-0', '1-9-0'])
        await setting('version_policy', 'off')
        await publish({ namespace: 'lists', name: 'a0', version: '1-0-0' })
        await publish({ namespace: 'lists', name: 'a1', version: '1-11-0' })
        await setting('version_policy', 'enforce')
        const next = /^<(.+)>; rel="next"$/.exec(first.headers['link'] ?? '')?.[1] as string
        expect(next).to.contain('namespace=lists').and.to.contain('status=active').and.to.contain('limit=2')
        const second = await server.call('get', next, viewerKey)
        expect((second.body as Spec[]).map(({ name, version }) => `${name}@${version}`)).to.deep.equal(['a1@1-0-0'])
        expect(second.headers).not.to.have.property('link')
      })
    })

    describe('are compared', () => {
      let name: string

      before(async () => {
        name = freshName()
        await publish({ namespace: 'shop', name, version: '1-0-0', properties: { ...REQUIRED_TOTAL, note: { type: 'string' } } })
        await publish({ namespace: 'shop', name, version: '2-0-0', properties: REQUIRED_TOTAL, description: 'Paid.' })
      })

      const diff = (from: string, to: string, event = name) => server.call('get', `/v1/diff/shop/${event}/${from}/${to}`, viewerKey)

      it('into changes with their fields, MAJOR first', async () => {
        const answer = await diff('1-0-0', '2-0-0')
        expect(answer.status).to.equal(200)
        const changes = answer.body as Change[]
        expect(changes.map(({ field }) => field)).to.have.members(['properties', 'description'])
        for (const change of changes) expect(change).to.have.all.keys('kind', 'field', 'description', 'rule', 'path', 'breaks', 'certainty', 'from', 'to', 'witness')
        const order = ['MAJOR', 'MINOR', 'PATCH']
        expect(changes.map(({ kind }) => order.indexOf(kind))).to.deep.equal(changes.map(({ kind }) => order.indexOf(kind)).sort())
      })

      it('in both directions, which differ', async () => {
        const forward = (await diff('1-0-0', '2-0-0')).body as (Change & { from: unknown; to: unknown })[]
        const backward = (await diff('2-0-0', '1-0-0')).body as (Change & { from: unknown; to: unknown })[]
        const note = (changes: typeof forward) => changes.find(({ path }) => path === '/properties/note')
        expect(note(forward)).to.deep.include({ to: null })
        expect(note(backward)).to.deep.include({ from: null })
      })

      it('with themselves into nothing', async () => {
        expect((await diff('1-0-0', '1-0-0')).body).to.deep.equal([])
      })

      it('as they are now, also when they were compared before', async () => {
        const event = freshName()
        for (const version of ['1-0-0', '1-0-1']) await publish({ namespace: 'shop', name: event, version, description: version })
        const rulesOf = async (): Promise<string[]> => ((await diff('1-0-0', '1-0-1', event)).body as { rule: string }[]).map(({ rule }) => rule)
        expect([await rulesOf(), await rulesOf()]).to.deep.equal([['ann.description'], ['ann.description']])
        await setStatus(event, '1-0-1', 'deprecated')
        expect(await rulesOf()).to.have.members(['ann.description', 'event.status-changed'])
      })

      it('across statuses: drafts and deleted versions as well', async () => {
        await publish({ namespace: 'shop', name, version: '3-0-0', status: 'draft', properties: {} })
        expect((await diff('3-0-0', '1-0-0')).status).to.equal(200)
      })

      for (const [from, to] of [['1-0-0', '9-0-0'], ['9-0-0', '1-0-0']] as const) {
        it(`not from ${from} to ${to}: 404 names the one that is missing`, async () => {
          const answer = await diff(from, to)
          expect(answer.status).to.equal(404)
          expect(answer.body.error).to.contain('9-0-0')
        })
      }

      it('not for an event that does not exist: 404', async () => {
        expect((await diff('1-0-0', '2-0-0', 'nothing')).status).to.equal(404)
      })

      for (const [from, to] of [['1.0.0', '2-0-0'], ['1-0-0', '2-0'], ['latest', '1-0-0'], ['01-0-0', '1-0-0'], ['1-0-0', '-1-0-0'], ['1-0-0', '99999999999-0-0']] as const) {
        it(`not from ${from} to ${to}: 400 with the right form`, async () => {
          const answer = await diff(from, to)
          expect(answer.status).to.equal(400)
          expect(answer.body.error).to.contain('MAJOR-MINOR-PATCH')
        })
      }
    })

    describe('are refused', () => {
      const BAD: [spec: object, path: string][] = [
        [{ name: 'x' }, '/namespace'],
        [{ namespace: 'shop' }, '/name'],
        [{ namespace: 'sh op', name: 'x' }, '/namespace'],
        [{ namespace: 'shop', name: 'x/y' }, '/name'],
        [{ namespace: 'shop', name: 'x', version: '1.0.0' }, '/version'],
        [{ namespace: 'shop', name: 'x', version: '1-0-00' }, '/version'],
        [{ namespace: 'shop', name: 'x', version: '1-0-2147483648' }, '/version'],
        [{ namespace: 'shop', name: 'x', status: 'retired' }, '/status'],
        [{ namespace: 'shop', name: 'x', type: 'screen' }, '/type'],
        [{ namespace: 'shop', name: 'x', properties: { a: { type: 'strin' } } }, '/properties/a'],
        [{ namespace: 'shop', name: 'x', properties: { a: { type: 'string', minLength: -1 } } }, '/properties/a'],
        [{ namespace: 'shop', name: 'x', properties: { a: { type: 'object', properties: { b: { pattern: '(a+)+$' } } } } }, '/properties/a/properties/b'],
        [{ namespace: 'shop', name: 'x', properties: [] }, '/properties'],
        [{ namespace: 'shop', name: 'x', sampling: { rate: 2 } }, '/sampling/rate'],
        [{ namespace: 'shop', name: 'x', tags: 'a' }, '/tags'],
        [{ namespace: 'shop', name: 'x', properties: REQUIRED_TOTAL, examples: { valid: [{ total: 'free' }] } }, '/examples/valid/0'],
        [{ namespace: 'shop', name: 'x', properties: REQUIRED_TOTAL, examples: { invalid: [{ total: 1 }] } }, '/examples/invalid/0'],
      ]
      for (const [spec, path] of BAD) {
        it(`with ${JSON.stringify(spec).slice(0, 90)}: 400 that points at ${path}`, async () => {
          const answer = await publish(spec)
          expect(answer.status, answer.text).to.equal(400)
          expect((answer.body.details as { path: string }[]).map((detail) => detail.path).some((found) => found.startsWith(path)), answer.text).to.equal(true)
        })
      }

      it('from viewers: 403 that names the role', async () => {
        const answer = await server.call('post', '/v1/events', viewerKey).send({ namespace: 'shop', name: freshName() })
        expect(answer.status).to.equal(403)
        expect(answer.body.error).to.contain('publisher')
      })
    })

    describe('follow the setting version_policy', () => {
      afterEach(() => setting('version_policy', 'enforce'))

      const tooSmall = async () => {
        const name = freshName()
        await publish({ namespace: 'shop', name, version: '1-0-0', properties: OPTIONAL_TOTAL })
        return { namespace: 'shop', name, version: '1-0-1', properties: REQUIRED_TOTAL, description: 'Paid.' }
      }

      it('enforce: refused', async () => {
        expect((await publish(await tooSmall())).status).to.equal(409)
      })

      it('warn, from the next request on: stored with a warning', async () => {
        const spec = await tooSmall()
        await setting('version_policy', 'warn')
        const answer = await publish(spec)
        expect(answer.status).to.equal(201)
        expect((answer.body.warnings as { rule: string }[]).map(({ rule }) => rule)).to.include('version.under-bumped')
      })

      it('off, from the next request on: stored without a word', async () => {
        const spec = await tooSmall()
        await setting('version_policy', 'off')
        const answer = await publish(spec)
        expect(answer.status).to.equal(201)
        expect(answer.body.warnings).to.deep.equal([])
      })

      it('enforce again: refused by the next request', async () => {
        await setting('version_policy', 'off')
        const spec = await tooSmall()
        await setting('version_policy', 'enforce')
        expect((await publish(spec)).status).to.equal(409)
      })
    })
  })
})

/** The order of the list: by namespace and name in code units, the newest version first. */
function compareIds(one: string, other: string): number {
  const [oneEvent, oneVersion] = one.split('@') as [string, string]
  const [otherEvent, otherVersion] = other.split('@') as [string, string]
  const [oneKey, otherKey] = [oneEvent.split('/'), otherEvent.split('/')] as [[string, string], [string, string]]
  for (const part of [0, 1] as const) if (oneKey[part] !== otherKey[part]) return oneKey[part] < otherKey[part] ? -1 : 1
  const [a, b] = [oneVersion.split('-').map(Number), otherVersion.split('-').map(Number)]
  for (const part of [0, 1, 2]) if (a[part] !== b[part]) return (b[part] as number) - (a[part] as number)
  return 0
}
