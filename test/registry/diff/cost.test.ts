import { expect } from 'chai'
import { diffSpecs } from '../../../src/registry/diff/diff.ts'
import type { PropertyDefinition } from '../../../src/registry/event-spec.ts'
import { shortestTime } from '../shortest-time.ts'
import { specOf } from './support/spec.ts'

/** As `shortestTime`, once the code has been compiled; code that makes code takes more turns. */
function costOf(work: () => unknown, warmUps = 2): number {
  for (let turn = 0; turn < warmUps; turn++) work()
  return shortestTime(work)
}

/** Objects in objects, `depth` of them, which hold `count` properties together. */
function nested(count: number, depth: number, leaf: () => PropertyDefinition): Record<string, PropertyDefinition> {
  const here = Math.ceil(count / depth)
  const properties = Object.fromEntries(Array.from({ length: here }, (_, index) => [`p${depth}_${index}`, leaf()]))
  return depth === 1 ? properties : { ...properties, inner: { type: 'object', required: true, properties: nested(count - here, depth - 1, leaf) } }
}

/** Alternatives in alternatives. */
function branching(width: number, depth: number, shift: number): PropertyDefinition {
  const members = Array.from({ length: width }, (_, index) => ({
    type: 'object',
    properties: { size: { type: 'integer', minimum: index + shift }, ...(depth > 1 ? { inner: branching(width, depth - 1, shift) } : {}) },
  }))
  return { oneOf: members }
}

describe('the cost of a diff', () => {
  it('is under 20 ms for 300 properties on 8 levels, all of them changed', () => {
    const from = specOf(nested(300, 8, () => ({ type: 'string', maxLength: 9 })))
    const to = specOf(nested(300, 8, () => ({ type: 'string', maxLength: 5 })))
    expect(diffSpecs(from, to)).to.have.lengthOf(300)
    expect(costOf(() => diffSpecs(from, to))).to.be.lessThan(20)
  })

  it('is under 20 ms for them with a witness for each change, when a tenth has changed', () => {
    let count = 0
    const leaf = (maxLength: number): PropertyDefinition => (count++ % 10 === 0 ? { type: 'string', maxLength } : { type: 'string', enum: ['a', 'b'] })
    const [from, to] = [specOf(nested(300, 8, () => leaf(9))), specOf(nested(300, 8, () => leaf(5)))]
    const proven = diffSpecs(from, to).filter(({ certainty, witness }) => certainty === 'proven' && witness !== null)
    expect(proven).to.have.lengthOf(30)
    expect(costOf(() => JSON.stringify(diffSpecs(from, to)), 10)).to.be.lessThan(20)
  })

  it('is under 300 ms with a witness for each of 300 changes', () => {
    const from = specOf(nested(300, 8, () => ({ type: 'string', maxLength: 9 })))
    const to = specOf(nested(300, 8, () => ({ type: 'string', maxLength: 5 })))
    expect(costOf(() => JSON.stringify(diffSpecs(from, to)))).to.be.lessThan(300)
  })

  it('stays under 200 ms, witnesses included, for alternatives nested in alternatives', () => {
    for (const [width, depth] of [[40, 1], [10, 2], [20, 2], [5, 4], [3, 6]] as const) {
      const [from, to] = [specOf({ x: branching(width, depth, 0) }), specOf({ x: branching(width, depth, 1) })]
      expect(costOf(() => JSON.stringify(diffSpecs(from, to))), `${width} alternatives, ${depth} deep`).to.be.lessThan(200)
    }
  }).timeout(30_000)

  it('gives such a pair up as undecided, and never as unchanged', () => {
    const changes = diffSpecs(specOf({ x: branching(5, 4, 0) }), specOf({ x: branching(5, 4, 1) }))
    expect(changes.flatMap(({ breaks }) => breaks)).to.include.members(['producers', 'consumers'])
    expect(new Set(changes.map(({ certainty }) => certainty))).to.deep.equal(new Set(['undecided']))
  })

  it('does not double with each reference that is named twice', () => {
    const doubling = (leaf: PropertyDefinition): Record<string, PropertyDefinition> =>
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`d${index}`, index === 0 ? leaf : { type: 'object', properties: { left: { $ref: `#/$defs/d${index - 1}` }, right: { $ref: `#/$defs/d${index - 1}` } } }]))
    const spec = (leaf: PropertyDefinition): ReturnType<typeof specOf> => specOf({ x: { $ref: '#/$defs/d19' } }, { $defs: doubling(leaf) })
    expect(costOf(() => diffSpecs(spec({ type: 'string' }), spec({ type: 'integer' })))).to.be.lessThan(200)
  })
})
