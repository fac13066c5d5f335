import { expect } from 'chai'
import fc from 'fast-check'
import type { Change, ChangeKind, EventSpec } from '../../src/registry/event-spec.ts'
import { decideVersion } from '../../src/registry/version-rule.ts'
import type { VersionDecision, VersionQuestion } from '../../src/registry/version-rule.ts'
import { compareVersions, declaredKind } from '../../src/registry/version.ts'

const SEVERITY: Record<ChangeKind, number> = { PATCH: 1, MINOR: 2, MAJOR: 3 }

function change(kind: ChangeKind, field: string, description: string): Change {
  return { kind, field, description, rule: 'test', path: `/${field}`, breaks: [], certainty: 'undecided', from: null, to: null, witness: null }
}

/** A diff that is easy to foresee: three fields stand for the three kinds, and the status counts as in the catalogue. */
function diff(from: EventSpec, to: EventSpec): Change[] {
  const changes: Change[] = []
  if (from['major'] !== to['major']) changes.push(change('MAJOR', 'properties', `major ${String(from['major'])} to ${String(to['major'])}`))
  if (from.status !== to.status) changes.push(change(to.status === 'deleted' ? 'MAJOR' : 'MINOR', 'status', `status changed from ${from.status} to ${to.status}`))
  if (from['minor'] !== to['minor']) changes.push(change('MINOR', 'sampling', `minor ${String(from['minor'])} to ${String(to['minor'])}`))
  if (from['patch'] !== to['patch']) changes.push(change('PATCH', 'description', `patch ${String(from['patch'])} to ${String(to['patch'])}`))
  return changes
}

interface Content {
  major?: number
  minor?: number
  patch?: number
  status?: EventSpec['status']
}

function spec(version: string, { major = 0, minor = 0, patch = 0, status = 'active' }: Content = {}): EventSpec {
  return { namespace: 'shop', name: 'order', version, status, type: 'track', event_name: 'order', major, minor, patch }
}

function decide(existing: EventSpec[], version: string | undefined, content: Content = {}, policy: VersionQuestion['policy'] = 'enforce'): VersionDecision {
  const { version: _version, ...candidate } = spec('0-0-0', content)
  return decideVersion({ candidate: { ...candidate, ...(version === undefined ? {} : { version }) }, existing, policy, diff })
}

describe('decideVersion without a version', () => {
  it('begins with 1-0-0', () => {
    expect(decide([], undefined)).to.deep.equal({ version: '1-0-0', previousVersion: undefined, changes: [], warnings: [] })
    expect(decide([spec('3-0-0', { status: 'draft' })], undefined).version).to.equal('1-0-0')
  })

  it('raises the highest version by the most severe change', () => {
    const existing = [spec('2-1-3'), spec('10-0-1'), spec('9-9-9')]
    expect(decide(existing, undefined, { patch: 1 })).to.deep.include({ version: '10-0-2', previousVersion: '10-0-1', warnings: [] })
    expect(decide(existing, undefined, { patch: 1, minor: 1 }).version).to.equal('10-1-0')
    expect(decide(existing, undefined, { patch: 1, minor: 1, major: 1 })).to.have.property('version', '11-0-0')
    expect(decide(existing, undefined, { patch: 1 }).changes.map(({ kind }) => kind)).to.deep.equal(['PATCH'])
  })

  it('gives the same version for the same content, also when only the status differs', () => {
    const existing = [spec('1-0-0', { patch: 5 }), spec('1-1-0')]
    expect(decide(existing, undefined)).to.deep.include({ version: '1-1-0', previousVersion: '1-0-0' })
    expect(decide(existing, undefined, { status: 'deprecated' }).version).to.equal('1-1-0')
    expect(decide(existing, undefined, { patch: 5 }).version, 'a return to older content is a new version').to.equal('1-1-1')
  })

  it('never brings back a deleted version, nor turns a published one into a draft', () => {
    expect(decide([spec('1-0-0', { status: 'deleted' })], undefined).version).to.equal('1-0-1')
    expect(decide([spec('1-0-0', { status: 'deleted' })], undefined, { status: 'deleted' }).version).to.equal('1-0-0')
    expect(decide([spec('1-0-0')], undefined, { status: 'draft' }).version).to.equal('1-0-1')
  })

  it('counts from deleted versions and over drafts', () => {
    expect(decide([spec('1-0-0'), spec('2-0-0', { major: 1, status: 'deleted' }), spec('2-0-1', { status: 'draft' })], undefined, { major: 1, minor: 1 }).version).to.equal('2-1-0')
  })
})

describe('decideVersion with a version', () => {
  it('lets the first version be any', () => {
    expect(decide([], '0-7-3')).to.deep.equal({ version: '0-7-3', previousVersion: undefined, changes: [], warnings: [] })
  })

  it('accepts exactly the step that the changes ask for', () => {
    for (const [version, content] of [['1-0-1', { patch: 1 }], ['1-1-0', { minor: 1, patch: 1 }], ['2-0-0', { major: 1 }], ['1-0-7', { patch: 1 }], ['4-0-0', { major: 1 }]] as const) {
      expect(decide([spec('1-0-0')], version, content), version).to.deep.include({ version, previousVersion: '1-0-0', warnings: [] }).and.not.have.property('conflict')
    }
  })

  it('refuses too small a step, names the changes that force a larger one and suggests it', () => {
    const { conflict } = decide([spec('1-0-0')], '1-0-1', { major: 1, minor: 1, patch: 1 })
    expect(conflict?.suggestedVersion).to.equal('2-0-0')
    expect(conflict?.changes.map(({ kind }) => kind)).to.deep.equal(['MAJOR', 'MINOR'])
    expect(conflict?.message).to.equal('1-0-1 is a PATCH step from 1-0-0, but "major 0 to 1", "minor 0 to 1" ask for a MAJOR step; publish it as 2-0-0')
    expect(decide([spec('1-0-0')], '1-0-1', { minor: 1 }).conflict?.suggestedVersion).to.equal('1-1-0')
  })

  it('suggests a version that is free and accepted', () => {
    const existing = [spec('1-0-0'), spec('1-1-0', { patch: 9 }), spec('2-0-0', { major: 9 })]
    expect(decide(existing, '1-0-1', { minor: 1 }).conflict?.suggestedVersion, 'the next of the same line').to.equal('1-2-0')
    expect(decide(existing, '1-0-1', { major: 5 }).conflict?.suggestedVersion, 'after all others').to.equal('3-0-0')
  })

  it('only warns of too small a step for a draft and under the policy warn, and is silent under off', () => {
    const warned = [decide([spec('1-0-0')], '1-0-1', { major: 1, status: 'draft' }), decide([spec('1-0-0')], '1-0-1', { major: 1 }, 'warn')]
    for (const decision of warned) {
      expect(decision).to.not.have.property('conflict')
      expect(decision.warnings.map(({ rule, path }) => [rule, path])).to.deep.equal([['version.under-bumped', '/version']])
    }
    expect(decide([spec('1-0-0')], '1-0-1', { major: 1 }, 'off')).to.deep.include({ version: '1-0-1', warnings: [] }).and.not.have.property('conflict')
  })

  it('warns of a larger step than the changes ask for', () => {
    const { warnings } = decide([spec('1-0-0')], '2-0-0', { minor: 1 })
    expect(warnings).to.deep.equal([{ rule: 'version.over-bumped', path: '/version', message: '2-0-0 is a MAJOR step from 1-0-0, while the changes ask for a MINOR step only, 1-1-0' }])
    expect(decide([spec('1-0-0')], '1-0-1').warnings[0]?.message).to.equal('1-0-1 is a PATCH step from 1-0-0, while nothing changed')
  })

  it('lets an old line be patched as long as its next version still follows', () => {
    const existing = [spec('1-0-0'), spec('1-1-0', { minor: 1 }), spec('2-0-0', { major: 7 })]
    expect(decide(existing, '1-0-1', { patch: 1 })).to.deep.include({ version: '1-0-1', previousVersion: '1-0-0' }).and.not.have.property('conflict')
    expect(decide(existing, '1-1-1', { minor: 1, patch: 1 }), 'the next MAJOR is no hindrance').to.not.have.property('conflict')
    const { conflict } = decide([spec('1-0-0'), spec('1-0-2', { patch: 2 }), spec('1-1-0', { patch: 2, minor: 1 })], '1-0-1', { minor: 1 }, 'enforce')
    expect(conflict?.message).to.match(/^1-0-1 is a PATCH step from 1-0-0/)
    const above = decide([spec('1-0-2', { minor: 3 })], '1-0-1', {}).conflict
    expect(above?.message).to.equal('1-0-2 is already published as a PATCH step after 1-0-1, but "minor 0 to 3" asks for a MINOR step; publish it as 1-1-0')
    expect(above?.suggestedVersion).to.equal('1-1-0')
  })

  it('lets an older MAJOR line be begun', () => {
    expect(decide([spec('2-0-0', { major: 1 })], '1-0-0')).to.deep.include({ previousVersion: undefined, changes: [] }).and.not.have.property('conflict')
  })

  it('takes no draft for a neighbour, and a deleted version for one', () => {
    expect(decide([spec('1-0-0', { status: 'draft' })], '1-0-1', { major: 1 })).to.deep.include({ previousVersion: undefined }).and.not.have.property('conflict')
    expect(decide([spec('1-0-0', { status: 'deleted' })], '1-0-1', { major: 1 })).to.have.property('conflict')
    expect(decide([spec('1-0-0'), spec('1-0-2', { minor: 1, status: 'draft' })], '1-0-1', { patch: 1 })).to.not.have.property('conflict')
  })

  it('counts a status as a change when the candidate steps down, not when a neighbour did so since', () => {
    expect(decide([spec('1-0-0')], '1-0-1', { patch: 1, status: 'deleted' }).conflict?.suggestedVersion).to.equal('2-0-0')
    expect(decide([spec('1-0-0')], '1-0-1', { patch: 1, status: 'deprecated' }).conflict?.suggestedVersion).to.equal('1-1-0')
    expect(decide([spec('1-0-0', { status: 'deprecated' })], '1-0-1', { patch: 1 })).to.not.have.property('conflict')
    expect(decide([spec('1-0-0'), spec('1-1-0', { minor: 1, status: 'deleted' })], '1-0-1', { patch: 1 })).to.not.have.property('conflict')
    expect(decide([spec('1-0-0', { status: 'deprecated' })], '1-0-1', { patch: 1 }).changes.map(({ field }) => field), 'but it is reported').to.deep.equal(['status', 'description'])
  })

  it('does not judge what is stored under the version itself, unless that is a draft', () => {
    expect(decide([spec('1-0-0'), spec('1-0-1', { patch: 1 })], '1-0-1', { major: 1 })).to.deep.include({ previousVersion: '1-0-0' }).and.not.have.property('conflict')
    expect(decide([spec('1-0-0'), spec('1-0-1', { patch: 1, status: 'draft' })], '1-0-1', { major: 1 })).to.have.property('conflict')
  })

  it('keeps every history in order: each step is as large as its changes, and each suggestion is accepted', () => {
    const content = fc.record({ major: fc.nat(2), minor: fc.nat(2), patch: fc.nat(2) })
    const version = fc.option(fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2)).map((parts) => parts.join('-')), { nil: undefined })
    fc.assert(
      fc.property(fc.array(fc.tuple(version, content), { maxLength: 12 }), (publications) => {
        let history: EventSpec[] = []
        for (const [wanted, wish] of publications) {
          const decision = decide(history, wanted, wish)
          if (decision.conflict) {
            const suggested = decision.conflict.suggestedVersion
            expect(decide(history, suggested, wish)).to.not.have.property('conflict')
            expect(decision.conflict.changes).to.not.have.length(0)
          } else if (!history.some((stored) => stored.version === decision.version)) {
            history = [...history, spec(decision.version, wish)].sort((one, other) => compareVersions(one.version, other.version))
          }
        }
        for (const [index, higher] of history.entries()) {
          const lower = history[index - 1]
          if (!lower) continue
          const severest = Math.max(0, ...diff(lower, higher).map(({ kind }) => SEVERITY[kind]))
          expect(severest, `${lower.version} to ${higher.version}`).to.be.at.most(SEVERITY[declaredKind(lower.version, higher.version)])
        }
      }),
      { numRuns: 1000 },
    )
  })
})
