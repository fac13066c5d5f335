import { expect } from 'chai'
import fc from 'fast-check'
import { compileSpec } from '../../../src/registry/compile.ts'
import type { PropertyDefinition } from '../../../src/registry/event-spec.ts'
import { schemaDocument } from '../../../src/registry/diff/schema-document.ts'
import { lazyJudge } from '../../../src/registry/diff/witness/judges.ts'
import type { Fault } from '../../../src/registry/diff/witness/judges.ts'
import { randomPair } from './support/contradictions.ts'
import { randomPayload } from './support/random-events.ts'
import { seededRandom } from './support/random.ts'
import { specOf } from './support/spec.ts'

const judgeOf = (properties: Record<string, PropertyDefinition>, likely: string[]): ReturnType<typeof lazyJudge> =>
  lazyJudge(schemaDocument(specOf(properties), 'properties'), likely)

describe('a judge of the diff', () => {
  it('says what the validator of the whole spec says, whichever properties it expects', () => {
    let refused = 0
    fc.assert(
      fc.property(fc.noShrink(fc.integer({ min: 1, max: 2 ** 31 - 1 })), (seed) => {
        const random = seededRandom(seed)
        const { context_properties: _context, ...from } = randomPair(random).from
        const whole = compileSpec({ ...from, type: 'track' })
        for (let turn = 0; turn < 20; turn++) {
          const judge = lazyJudge(schemaDocument(from, 'properties'), []) // one that has met an unexpected property expects all
          const payload = randomPayload(random, from)
          // Without the mark of personal data on a property left out, paths may be more exact.
          const rulesOf = (violations: Fault[] | undefined): string[] | undefined => violations?.map(({ rule }) => rule)
          const rules = rulesOf(whole.validate(payload))
          expect(rulesOf(judge(payload)), JSON.stringify({ seed, payload })).to.deep.equal(rules)
          refused += rules?.length === 0 ? 0 : 1
        }
      }),
      { numRuns: 300, seed: 2012 },
    )
    expect(refused).to.be.greaterThan(500)
  }).timeout(60_000)

  it('minds a property that it did not expect, at any depth', () => {
    const judge = judgeOf({ likely: { type: 'integer' }, list: { type: 'array', items: { properties: { hidden: { type: 'integer' } } } } }, ['likely', 'list'])
    expect(judge({ likely: 1, list: [{}] })).to.deep.equal([])
    expect(judge({ likely: 1, list: [{ hidden: 'text' }] })).to.have.lengthOf(1)
  })

  it('misses what is required, expected or not', () => {
    expect(judgeOf({ needed: { type: 'integer', required: true } }, [])({})).to.have.lengthOf(1)
    expect(judgeOf({ outer: { type: 'object', required: ['needed'], properties: { needed: {} } } }, ['outer'])({ outer: {} })).to.have.lengthOf(1)
  })

  it('finds what a reference names inside a property that it did not expect', () => {
    const judge = judgeOf({ price: { type: 'integer' }, likely: { $ref: '#/properties/price' } }, ['likely'])
    expect(judge({ likely: 1 })).to.deep.equal([])
    expect(judge({ likely: 'text' })).to.have.lengthOf(1)
  })

  it('does not mistake a property for one that is open to others', () => {
    const judge = lazyJudge(schemaDocument(specOf({ a: {}, b: {} }, { additional_properties: false }), 'properties'), ['a'])
    expect(judge({ a: 1 })).to.deep.equal([])
    expect(judge({ b: 1 })).to.deep.equal([])
    expect(judge({ c: 1 })).to.have.lengthOf(1)
  })
})
