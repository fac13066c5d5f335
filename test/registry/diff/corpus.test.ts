import { expect } from 'chai'
import { diffSpecs } from '../../../src/registry/diff/diff.ts'
import { rules } from '../../../src/registry/diff/rules.ts'
import { readCorpus } from './support/corpus.ts'
import { independentJudge } from './support/independent-judge.ts'

const cases = readCorpus()

describe('the corpus of changes', () => {
  it('has a case for every rule, and no case for a rule that does not exist', () => {
    const named = new Set(cases.map(({ rule }) => rule))
    expect(Object.keys(rules).filter((rule) => !named.has(rule))).to.deep.equal([])
    expect([...named].filter((rule) => rule !== 'equal' && !Object.hasOwn(rules, rule))).to.deep.equal([])
  })

  for (const { rule, direction, from, to, history, expected } of cases) {
    it(`${rule}, ${direction}: comes out as expected`, () => {
      const changes = diffSpecs(from, to, history ? { history } : {})
      expect(changes.map((change) => ({ rule: change.rule, kind: change.kind, field: change.field, path: change.path, breaks: change.breaks }))).to.deep.equal(expected)
      if (rule !== 'equal') expect(changes.map((change) => change.rule)).to.include(rule)
    })
  }
})

describe('a proven change of the corpus', () => {
  const changes = cases.flatMap(({ rule, direction, from, to }) => diffSpecs(from, to).map((change) => ({ name: `${rule}/${direction}`, from, to, change })))

  it('has a witness that another validator judges in the same way', () => {
    let judged = 0
    for (const { name, from, to, change } of changes) {
      if (change.witness === null) continue
      judged += 1
      const accepts = { from: independentJudge(from)(change.witness), to: independentJudge(to)(change.witness) }
      const breaksProducers = change.breaks.includes('producers')
      expect(accepts, `${name}: ${JSON.stringify(change.witness)}`).to.deep.equal({ from: breaksProducers, to: !breaksProducers })
    }
    expect(judged).to.be.greaterThan(130)
  })

  it('is what nearly every change that an event can show comes out as', () => {
    const undecided = changes.filter(({ change }) => change.certainty === 'undecided').map(({ change }) => change.rule)
    expect([...new Set(undecided)].sort()).to.deep.equal(['keyword.unknown', 'prop.optional-added-open', 'prop.renamed-with-alias', 'schema.undecided', 'str.pattern-changed'])
  })
})
