import { expect } from 'chai'
import fc from 'fast-check'
import { MAX_VIOLATIONS, compileSpec } from '../../../src/registry/compile.ts'
import type { EventSpec, PropertyDefinition } from '../../../src/registry/event-spec.ts'
import { schemaDocument } from '../../../src/registry/diff/schema-document.ts'
import { lazyJudge } from '../../../src/registry/diff/witness/judges.ts'
import type { Judge } from '../../../src/registry/diff/witness/judges.ts'
import { randomPair } from './support/contradictions.ts'
import { randomPayload } from './support/random-events.ts'
import { seededRandom } from './support/random.ts'
import { specOf } from './support/spec.ts'

const judgeOf = (properties: Record<string, PropertyDefinition>, onTheWay: string[], parts: Partial<EventSpec> = {}): Judge =>
  lazyJudge(schemaDocument(specOf(properties, parts), 'properties'), new Set(onTheWay))

const seeds = fc.noShrink(fc.integer({ min: 1, max: 2 ** 31 - 1 }))

describe('a judge of the diff', () => {
  it('accepts what the validator of the whole spec accepts, and has nothing against a value that that has not', () => {
    const seen = { accepted: 0, faults: 0 }
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = seededRandom(seed)
        const { context_properties: _context, ...from } = randomPair(random).from
        const whole = compileSpec({ ...from, type: 'track' })
        const onTheWay = new Set(Object.keys(from.properties ?? {}).filter(() => random.chance(0.4)))
        for (let turn = 0; turn < 20; turn++) {
          const judge = lazyJudge(schemaDocument(from, 'properties'), onTheWay) // one that has met an unexpected property expects all
          const payload = randomPayload(random, from)
          const rules = whole.validate(payload).map(({ rule }) => rule)
          const faults = judge.faults(payload).map(({ rule }) => rule)
          expect(judge.accepts(payload), JSON.stringify({ seed, payload })).to.equal(rules.length === 0)
          // The whole spec's validator shows no more than MAX_VIOLATIONS.
          if (rules.length < MAX_VIOLATIONS) expect(rules, JSON.stringify({ seed, payload, faults })).to.include.members(faults)
          seen.accepted += rules.length === 0 ? 1 : 0
          seen.faults += faults.length
        }
      }),
      { numRuns: 300, seed: 2012 },
    )
    expect(seen.accepted).to.be.greaterThan(500)
    expect(seen.faults).to.be.greaterThan(500)
  }).timeout(60_000)

  it('minds a property that it did not expect, at any depth', () => {
    const judge = judgeOf({ likely: { type: 'integer' }, list: { type: 'array', items: { properties: { hidden: { type: 'integer' } } } } }, ['likely', 'list'])
    expect(judge.accepts({ likely: 1, list: [{}] })).to.equal(true)
    expect(judge.accepts({ likely: 1, list: [{ hidden: 'text' }] })).to.equal(false)
  })

  it('misses what is required, expected or not', () => {
    for (const judge of [judgeOf({ needed: { type: 'integer', required: true } }, []), judgeOf({ outer: { type: 'object', required: ['needed'], properties: { needed: {} } } }, ['outer'])]) {
      expect(judge.accepts({ outer: {} })).to.equal(false)
      expect(judge.faults({ outer: {} }).map(({ rule }) => rule)).to.deep.equal(['required'])
    }
  })

  it('says what is wrong and where, on the way to the changes', () => {
    const judge = judgeOf({ outer: { type: 'object', properties: { changed: { type: 'integer' }, other: { type: 'integer' } } }, far: { type: 'integer' } }, ['outer', 'changed'])
    expect(judge.faults({ outer: { changed: 'text' } })).to.deep.equal([{ rule: 'type', path: '/outer/changed' }])
    expect(judge.faults({ outer: { other: 'text' }, far: 'text' })).to.deep.equal([])
  })

  it('finds what a reference names inside a property that it did not expect', () => {
    const judge = judgeOf({ price: { type: 'integer' }, likely: { $ref: '#/properties/price' } }, ['likely'])
    expect(judge.accepts({ likely: 1 })).to.equal(true)
    expect(judge.accepts({ likely: 'text' })).to.equal(false)
  })

  it('has nothing against what is excluded only once a property is loosened', () => {
    const judge = judgeOf({ price: { type: 'integer' }, changed: { not: { $ref: '#/properties/price' } } }, ['changed'])
    expect(judge.faults({ changed: 'text' })).to.deep.equal([])
    expect(judge.faults({ changed: 1 })).to.have.lengthOf(1)
  })

  it('does not mistake a property that it did not expect for one that is not in the spec', () => {
    const judge = judgeOf({ a: {}, b: {} }, ['a'], { additional_properties: false })
    expect([{ a: 1 }, { b: 1 }, { c: 1 }].map((value) => judge.accepts(value))).to.deep.equal([true, true, false])
    expect([{ a: 1 }, { b: 1 }, { c: 1 }].map((value) => judge.faults(value).length)).to.deep.equal([0, 0, 1])
  })
})
