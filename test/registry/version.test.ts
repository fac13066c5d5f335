import { expect } from 'chai'
import fc from 'fast-check'
import type { EventStatus } from '../../src/registry/event-spec.ts'
import { assertVersion, bump, compareVersions, declaredKind, isVersion, latestOf, parseVersion } from '../../src/registry/version.ts'

const MAX = 2 ** 31 - 1
const numbers = fc.tuple(...Array.from({ length: 3 }, () => fc.oneof(fc.nat(12), fc.integer({ min: 0, max: MAX }))))
const version = numbers.map((parts) => parts.join('-'))
const status = fc.constantFrom<EventStatus>('draft', 'active', 'deprecated', 'deleted')

describe('versions', () => {
  it('are three numbers up to 2^31-1 without leading zeros', () => {
    expect(parseVersion('1-0-12')).to.deep.equal([1, 0, 12])
    expect(parseVersion(`${MAX}-${MAX}-${MAX}`)).to.deep.equal([MAX, MAX, MAX])
    for (const text of ['', '1', '1-0', '1.0.0', '1-0-0-0', '01-0-0', '1-00-0', '-1-0-0', '1-0-0 ', ' 1-0-0', '1-0-0\n', 'v1-0-0', '1-0-a', '1e1-0-0', `${MAX + 1}-0-0`, '0-0-99999999999', '١-0-0']) {
      expect(isVersion(text), JSON.stringify(text)).to.equal(false)
      expect(() => assertVersion(text, 'from'), JSON.stringify(text)).to.throw(/^from must be MAJOR-MINOR-PATCH/).with.property('code', 'invalid_request')
    }
    for (const value of [undefined, null, 100, ['1-0-0']]) expect(isVersion(value)).to.equal(false)
  })

  it('compare as numbers', () => {
    expect(['10-0-0', '2-0-0', '2-10-0', '2-9-0', '2-9-10', '2-9-9'].sort(compareVersions)).to.deep.equal(['2-0-0', '2-9-0', '2-9-9', '2-9-10', '2-10-0', '10-0-0'])
    fc.assert(
      fc.property(numbers, numbers, (one, other) => {
        const weight = (parts: number[]): bigint => parts.reduce((total, part) => total * 2n ** 31n + BigInt(part), 0n)
        const expected = weight(one) < weight(other) ? -1 : weight(one) > weight(other) ? 1 : 0
        expect(Math.sign(compareVersions(one.join('-'), other.join('-')))).to.equal(expected)
      }),
      { numRuns: 1000 },
    )
  })

  it('rise by one step and declare that step', () => {
    expect((['MAJOR', 'MINOR', 'PATCH'] as const).map((kind) => bump('1-2-3', kind))).to.deep.equal(['2-0-0', '1-3-0', '1-2-4'])
    fc.assert(
      fc.property(version, fc.constantFrom('MAJOR' as const, 'MINOR' as const, 'PATCH' as const), (from, kind) => {
        fc.pre(!from.includes(String(MAX)))
        const to = bump(from, kind)
        expect(compareVersions(to, from)).to.be.greaterThan(0)
        expect(declaredKind(from, to)).to.equal(kind)
      }),
    )
    expect(declaredKind('1-2-3', '1-4-0')).to.equal('MINOR')
    expect(() => bump(`1-0-${MAX}`, 'PATCH')).to.throw(`the version after 1-0-${MAX}`)
  })

  it('have the highest active one as the latest, else the highest deprecated one, never a draft or a deleted one', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.record({ version, status }), { selector: (item) => item.version, maxLength: 30 }), (versions) => {
        const padded = (text: string): string => text.split('-').map((part) => part.padStart(10, '0')).join('-')
        const best = (wanted: EventStatus) => versions.filter((item) => item.status === wanted).sort((a, b) => (padded(a.version) < padded(b.version) ? 1 : -1))[0]
        expect(latestOf(versions)).to.equal(best('active') ?? best('deprecated'))
      }),
      { numRuns: 1000 },
    )
  })
})
