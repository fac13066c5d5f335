import { expect } from 'chai'
import { readSettings } from '../../../src/settings.ts'
import type { SpecQuery } from '../../../src/snapshot/snapshot.ts'
import { FAULT, accepting, faultOf, testSpec, track } from '../support/accepting.ts'

const bad = track({ properties: { bad: 1 } })
const settingsWith = (values: Record<string, string>) => readSettings(new Map(Object.entries(values)))
const planned = (given: Parameters<typeof testSpec>[0] = {}) => ({ resolve: () => ({ kind: 'planned' as const, spec: testSpec(given) }) })

describe('judging an event by its spec', () => {
  it('accepts an event that keeps to its spec and notes which one judged it', async () => {
    const { accept, stored } = accepting(planned())
    expect(await accept([track()])).to.deep.equal([{ index: 0, status: 'accepted', messageId: 'id-1-0000' }])
    expect(stored[0]).to.include({ spec: 'shop/signed-up@1-0-0', violations: undefined })
  })

  it('quarantines an event that violates it, with the violations, for no destination', async () => {
    const { accept, stored } = accepting(planned())
    expect(await accept([bad])).to.deep.equal([{ index: 0, status: 'quarantined', messageId: 'id-1-0000', violations: [FAULT] }])
    expect(stored[0]?.verdict).to.equal('quarantined')
    expect(stored[0]?.violations).to.deep.equal([FAULT])
    expect(stored[0]?.destinationIds).to.deep.equal([])
  })

  it('records violations and delivers when the setting allows', async () => {
    const { accept, stored } = accepting({ ...planned(), settings: settingsWith({ relay_validation: 'allow' }) })
    expect((await accept([bad]))[0]).to.deep.include({ status: 'accepted', violations: [FAULT] })
    expect(stored[0]?.destinationIds).to.deep.equal([7])
    expect(stored[0]?.violations).to.deep.equal([FAULT])
  })

  it('stores nothing of an event that the setting blocks, and the rest of its batch', async () => {
    const { accept, batch, stored } = accepting({ ...planned(), settings: settingsWith({ relay_validation: 'block' }) })
    expect((await accept([bad]))[0]).to.deep.include({ status: 'blocked', violations: [FAULT] })
    expect(stored).to.deep.equal([])
    const outcomes = await batch([bad, track({ message_id: 'first' }), bad, track({ message_id: 'second' })])
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['blocked', 'accepted', 'blocked', 'accepted'])
    expect(stored.map(({ messageId }) => messageId)).to.deep.equal(['first', 'second'])
  })

  it('lets a spec in mode warn record only, and one in mode strict quarantine at least', async () => {
    for (const [mode, setting, status] of [['warn', 'quarantine', 'accepted'], ['warn', 'block', 'accepted'], ['strict', 'allow', 'quarantined'], ['strict', 'quarantine', 'quarantined']] as const) {
      const { accept } = accepting({ ...planned({ validationMode: mode }), settings: settingsWith({ relay_validation: setting }) })
      expect((await accept([bad]))[0], `${mode} ${setting}`).to.deep.include({ status, violations: [FAULT] })
    }
    const { accept } = accepting({ ...planned({ validationMode: 'strict' }), settings: settingsWith({ relay_validation: 'block' }) })
    expect((await accept([bad]))[0]?.status).to.equal('blocked')
  })

  it('accepts under a deprecated spec and says so', async () => {
    const deprecation = { since: 1, sunset: '2027-03-31' }
    const { accept } = accepting(planned({ status: 'deprecated', deprecation }))
    expect((await accept([track()]))[0]).to.deep.include({ status: 'accepted', deprecation })
  })

  it('takes a deleted spec, and a version that was never published, for a violation', async () => {
    const deleted = accepting(planned({ status: 'deleted' }))
    expect((await deleted.accept([track()]))[0]?.violations?.[0]?.rule).to.equal('deleted_spec')
    const unknown = accepting({ resolve: () => ({ kind: 'unknown_version', candidate: 'shop/signed-up', version: '9-0-0' }) })
    const [item] = await unknown.accept([track({ event_version: '9-0-0' })])
    expect(item).to.include({ status: 'quarantined' })
    expect(item?.violations?.[0]).to.include({ rule: 'unknown_version', path: '/event_version' })
  })

  it('refuses a name that fits several namespaces, listing them', async () => {
    const { batch, stored } = accepting({ resolve: () => ({ kind: 'ambiguous', candidates: ['a/signed-up', 'b/signed-up'] }) })
    expect((await faultOf(batch([track()]))).message).to.contain('events[0].event_name').and.to.contain('a/signed-up, b/signed-up')
    expect(stored).to.deep.equal([])
  })

  it('treats unplanned events as the setting says', async () => {
    for (const [setting, status] of [['allow', 'accepted'], ['quarantine', 'quarantined']] as const) {
      const { accept } = accepting({ settings: settingsWith({ relay_unplanned: setting }) })
      expect((await accept([track()]))[0]?.status).to.equal(status)
    }
    const { accept } = accepting({ settings: settingsWith({ relay_unplanned: 'block' }) })
    expect((await accept([track()]))[0]).to.include({ status: 'blocked' }).and.to.have.property('violations').with.length(1)
  })

  it('says nothing of an unplanned event that is allowed', async () => {
    const [item] = await accepting().accept([track()])
    expect(item).not.to.have.property('violations')
  })

  it('lets everything pass while hooks are off', async () => {
    const settings = settingsWith({ hooks_enabled: 'false', relay_validation: 'block', relay_unplanned: 'block' })
    for (const given of [planned({ status: 'deleted', sampling: { strategy: 'random', rate: 0 } }), {}]) {
      expect((await accepting({ ...given, settings }).accept([bad]))[0]?.status).to.equal('accepted')
    }
  })

  it('looks the spec up by type, name and version, and shows it the payload of the type', async () => {
    const queries: SpecQuery[] = []
    const seen: unknown[] = []
    const spec = testSpec({ validate: (payload, attributes) => (seen.push([payload, attributes]), []) })
    const { accept } = accepting({ resolve: (query) => (queries.push(query), { kind: 'planned', spec }) })
    await accept([track({ properties: { p: 1 }, event_version: '1-0-0', context: { attributes: { a: 1 } } })])
    await accept([{ type: 'identify', traits: { t: 1 } }])
    await accept([{ type: 'page', name: 'Home' }])
    expect(queries).to.deep.equal([
      { type: 'track', name: 'Signed Up', version: '1-0-0' },
      { type: 'identify', name: undefined, version: undefined },
      { type: 'page', name: 'Home', version: undefined },
    ])
    expect(seen).to.deep.equal([[{ p: 1 }, { a: 1 }], [{ t: 1 }, {}], [{}, {}]])
  })

  describe('with sampling', () => {
    it('keeps about the share of users that the rate says, the same ones every time and for every version', async () => {
      const sampled = (id: string) => accepting(planned({ id, sampling: { strategy: 'user_id_hash', rate: 0.3 } }))
      const calls = Array.from({ length: 1000 }, (_, n) => track({ user_id: `user-${n}` }))
      const verdicts = async (id: string) => (await sampled(id).batch(calls)).map((item) => item.status)
      const first = await verdicts('shop/signed-up@1-0-0')
      expect(first.filter((status) => status === 'accepted').length).to.be.within(240, 360)
      expect(await verdicts('shop/signed-up@2-0-0')).to.deep.equal(first)
      expect(await verdicts('shop/other@1-0-0')).not.to.deep.equal(first)
    })

    it('takes the anonymous id where there is no user', async () => {
      const { batch } = accepting(planned({ sampling: { strategy: 'user_id_hash', rate: 0.5 } }))
      const items = await batch(Array.from({ length: 50 }, () => track({ anonymous_id: 'same' })))
      expect(new Set(items.map((item) => item.status)).size).to.equal(1)
    })

    it('draws for random sampling, and stores what is sampled out for no destination', async () => {
      const { accept, draw, stored } = accepting(planned({ sampling: { strategy: 'random', rate: 0.5 } }))
      draw(0.49)
      expect((await accept([track()]))[0]?.status).to.equal('accepted')
      draw(0.5)
      expect((await accept([track()]))[0]?.status).to.equal('sampled_out')
      expect(stored[1]).to.deep.include({ verdict: 'sampled_out', destinationIds: [] })
    })

    it('quarantines a violation rather than sampling it out', async () => {
      const { accept } = accepting(planned({ sampling: { strategy: 'random', rate: 0 } }))
      expect((await accept([bad]))[0]?.status).to.equal('quarantined')
    })
  })
})
