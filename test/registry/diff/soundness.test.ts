import { expect } from 'chai'
import fc from 'fast-check'
import { rules } from '../../../src/registry/diff/rules.ts'
import type { RuleId } from '../../../src/registry/diff/rules.ts'
import { diffSpecs } from '../../../src/registry/diff/diff.ts'
import { randomPair, tryPair } from './support/contradictions.ts'
import { independentJudge } from './support/independent-judge.ts'
import { seededRandom } from './support/random.ts'
import { shrink } from './support/shrink.ts'

const seeds = fc.noShrink(fc.integer({ min: 1, max: 2 ** 31 - 1 })) // a smaller seed is no smaller spec; shrink.ts makes those

// The same pairs in every run of the suite; scripts/prove.ts runs this on 100,000 others.
const SEED = 2012

describe('the diff of random specs', () => {
  it('foresees every event that one version accepts and the other refuses', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = seededRandom(seed)
        const { contradiction } = tryPair(random, randomPair(random), 40)
        if (contradiction) expect.fail(JSON.stringify(shrink(contradiction), null, 1))
      }),
      { numRuns: 1_000, seed: SEED },
    )
  }).timeout(60_000)

  it('shows nothing as proven that another validator does not confirm', () => {
    let proven = 0
    fc.assert(
      fc.property(seeds, (seed) => {
        const { from, to } = randomPair(seededRandom(seed))
        for (const change of diffSpecs(from, to)) {
          if (change.witness === null) continue
          proven += 1
          const accepts = { from: independentJudge(from)(change.witness), to: independentJudge(to)(change.witness) }
          const isRefusedNow = change.breaks.includes('producers')
          expect(accepts, JSON.stringify({ seed, change })).to.deep.equal({ from: isRefusedNow, to: !isRefusedNow })
        }
      }),
      { numRuns: 150, seed: SEED },
    )
    expect(proven).to.be.greaterThan(50)
  }).timeout(60_000)

  it('names only rules of the table, with a kind and with breaks that the table lists', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { from, to } = randomPair(seededRandom(seed))
        for (const change of diffSpecs(from, to, { witness: false })) {
          const rule = rules[change.rule as RuleId]
          expect(rule, change.rule).to.not.equal(undefined)
          expect(rule.kind, change.rule).to.include(change.kind)
          expect(rule.breaks, change.rule).to.include.members(change.breaks)
        }
      }),
      { numRuns: 1_000, seed: SEED },
    )
  })
})
