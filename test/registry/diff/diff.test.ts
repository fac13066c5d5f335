import { expect } from 'chai'
import { diffSpecs } from '../../../src/registry/diff/diff.ts'
import type { EventSpec, PropertyDefinition } from '../../../src/registry/event-spec.ts'
import { specOf, specWith } from './support/spec.ts'

function descriptions(from: EventSpec, to: EventSpec): string[] {
  return diffSpecs(from, to).map(({ description }) => description)
}

function wordsFor(from: PropertyDefinition, to: PropertyDefinition): string[] {
  return descriptions(specOf({ x: from }), specOf({ x: to }))
}

describe('diffSpecs', () => {
  it("reports the interface's own sample", () => {
    const [change] = diffSpecs(specOf({ price: { type: 'number', required: true } }), specOf({}))
    expect(change).to.include({ kind: 'MAJOR', field: 'properties', description: "required property 'price' removed" })
  })

  it('finds nothing between equal specs', () => {
    const spec = specOf({ price: { type: 'number', required: true } }, { description: 'An order' })
    expect(diffSpecs(spec, structuredClone(spec))).to.deep.equal([])
  })

  it('does not count the version and what the service writes itself', () => {
    expect(diffSpecs(specWith({ version: '1-0-0' }), specWith({ version: '1-0-1', published_at: '2024-01-01T00:00:00.000Z', published_by: 'ann' }))).to.deep.equal([])
  })

  it('puts each change into words', () => {
    expect(wordsFor({ type: 'string' }, { type: 'integer' })).to.deep.equal(["property 'x' type changed from string to integer"])
    expect(wordsFor({ type: 'string' }, { type: 'string', required: true })).to.deep.equal(["property 'x' became required"])
    expect(wordsFor({ type: 'string', required: true }, { type: 'string' })).to.deep.equal(["property 'x' became optional"])
    expect(wordsFor({ enum: ['a', 'b'] }, { enum: ['b', 'c'] })).to.deep.equal(["property 'x' enum value 'a' removed", "property 'x' enum value 'c' added"])
    expect(wordsFor({ type: 'number', maximum: 10 }, { type: 'number', maximum: 5 })).to.deep.equal(["property 'x' maximum decreased from 10 to 5"])
    expect(wordsFor({ type: 'string' }, { type: 'string', description: 'A' })).to.deep.equal(["property 'x' description changed"])
    expect(descriptions(specOf({}), specOf({ x: { type: 'string' } }))).to.deep.equal(["optional property 'x' added"])
    expect(descriptions(specOf({}), specOf({ x: { type: 'string', required: true } }))).to.deep.equal(["required property 'x' added"])
    expect(descriptions(specWith({ description: 'A' }), specWith({ description: 'B' }))).to.deep.equal(['description changed'])
    expect(descriptions(specWith({ status: 'active' }), specWith({ status: 'deprecated' }))).to.deep.equal(['status changed from active to deprecated'])
  })

  it('names a nested property as people write it and points at its definition', () => {
    const items = (sku: PropertyDefinition): EventSpec => specOf({ items: { type: 'array', items: { type: 'object', properties: { 'sku/id': sku } } } })
    const [change] = diffSpecs(items({ type: 'string' }), items({ type: 'integer' }))
    expect(change).to.include({ description: "property 'items[].sku/id' type changed from string to integer", path: '/properties/items/items/properties/sku~1id' })
  })

  it('names the alternative that a change lies in', () => {
    const choice = (maximum: number): PropertyDefinition => ({ anyOf: [{ type: 'string' }, { type: 'integer', maximum }] })
    const [change] = diffSpecs(specOf({ x: choice(9) }), specOf({ x: choice(5) }))
    expect(change).to.include({ description: "property 'x' (anyOf 1) maximum decreased from 9 to 5", path: '/properties/x/anyOf/1' })
  })

  it('reports every change, the most severe first, then by path', () => {
    const from = specOf({ b: { type: 'string', title: 'B' }, a: { type: 'string', maxLength: 9 } }, { description: 'old', status: 'active' })
    const to = specOf({ b: { type: 'integer', title: 'C' }, a: { type: 'string', maxLength: 5 } }, { description: 'new', status: 'deprecated' })
    expect(diffSpecs(from, to).map(({ kind, path }) => `${kind} ${path}`)).to.deep.equal(['MAJOR /properties/a', 'MAJOR /properties/b', 'MINOR /status', 'PATCH /description', 'PATCH /properties/b'])
  })

  it('works from a newer version to an older one', () => {
    const older = specOf({ x: { type: 'string' } }, { version: '1-0-0' })
    const newer = specOf({ x: { type: 'string', maxLength: 5 } }, { version: '2-0-0' })
    expect(diffSpecs(newer, older).map(({ kind, breaks }) => ({ kind, breaks }))).to.deep.equal([{ kind: 'MINOR', breaks: ['consumers'] }])
  })

  it('does not count the properties of alias calls, which carry none', () => {
    const changes = diffSpecs(specOf({ x: { type: 'string' } }, { type: 'alias' }), specOf({ x: { type: 'integer' } }, { type: 'alias' }))
    expect(changes.map(({ kind, breaks }) => ({ kind, breaks }))).to.deep.equal([{ kind: 'PATCH', breaks: [] }])
  })

  it('is not misled by names that every JavaScript object knows', () => {
    const names = ['toString', 'valueOf', 'hasOwnProperty']
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', [name]: 1 }]))
    const bare = specOf({ o: { type: 'object', required: [] } })
    const changes = diffSpecs(bare, specOf({ o: { type: 'object', required: names }, ...properties }, Object.fromEntries(names.map((name) => [name, 1]))))
    expect(changes.map(({ rule }) => rule).sort()).to.deep.equal([...Array<string>(3).fill('event.metadata'), ...Array<string>(3).fill('prop.became-required'), ...Array<string>(3).fill('prop.optional-added-open')])
    expect(diffSpecs(specOf(properties), specOf(properties))).to.deep.equal([])
  })

  it('gives back null, and not nothing, for what a side does not have', () => {
    const [change] = diffSpecs(specOf({}), specOf({ x: { type: 'string', required: true } }))
    expect(JSON.parse(JSON.stringify(change))).to.have.property('from', null)
  })
})

describe('a witness', () => {
  it('is an event that the one version accepts and the other refuses', () => {
    const [change] = diffSpecs(specOf({ price: { type: 'number', maximum: 10 } }), specOf({ price: { type: 'number', maximum: 5 } }))
    expect(change).to.deep.include({ certainty: 'proven', witness: { properties: { price: 10 } } })
  })

  it('holds traits for the calls that carry traits, and attributes for a change of the context', () => {
    const from = specOf({ plan: { type: 'string' } }, { type: 'identify', context_properties: { app: { type: 'string' } } })
    const to = specOf({ plan: { type: 'integer' } }, { type: 'identify', context_properties: { app: { type: 'integer' } } })
    const witnesses = Object.fromEntries(diffSpecs(from, to).map(({ field, witness }) => [field, Object.keys(witness ?? {})]))
    expect(witnesses).to.deep.equal({ properties: ['traits'], context_properties: ['context'] })
  })

  it('shows its own change and not another one beside it', () => {
    const from = specOf({ x: { type: 'integer', minimum: 0, maximum: 10 } })
    const to = specOf({ x: { type: 'integer', minimum: 3, maximum: 5 } })
    const values = Object.fromEntries(diffSpecs(from, to).map(({ rule, witness }) => [rule, (witness?.['properties'] as { x: number }).x]))
    expect(values['num.minimum']).to.be.lessThan(3)
    expect(values['num.maximum']).to.be.greaterThan(5)
  })

  it('is found for each of 300 changes of a kind, which must not stand in each other\'s way', () => {
    const properties = (definition: PropertyDefinition) => Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, definition]))
    for (const [before, after] of [
      [{ type: 'string' }, { type: 'string', required: true }],
      [{ type: 'number', required: true }, { type: 'integer', minimum: 3, required: true }],
    ] as const) {
      const changes = diffSpecs(specOf(properties(before)), specOf(properties(after)))
      expect(changes.length).to.be.at.least(300)
      expect(changes.filter(({ certainty }) => certainty !== 'proven')).to.deep.equal([])
    }
  })

  it('finds the value that two alternatives of oneOf match', () => {
    const choice = (...steps: number[]): PropertyDefinition => ({ type: 'integer', oneOf: steps.map((multipleOf) => ({ multipleOf })) })
    const [change] = diffSpecs(specOf({ x: choice(5, 7) }), specOf({ x: choice(5, 7, 3) }))
    expect(change).to.deep.include({ rule: 'comb.one-of-added', certainty: 'proven', witness: { properties: { x: 15 } } })
  })

  it('is not claimed for patterns that no string tells apart', () => {
    const [change] = diffSpecs(specOf({ x: { type: 'string', pattern: '^[0-9]$' } }), specOf({ x: { type: 'string', pattern: '^\\d$' } }))
    expect(change).to.include({ rule: 'str.pattern-changed', certainty: 'undecided', witness: null })
  })

  it('is not looked for when none is asked for', () => {
    const [change] = diffSpecs(specOf({ x: { type: 'string' } }), specOf({ x: { type: 'integer' } }), { witness: false })
    expect(change).to.include({ kind: 'MAJOR', certainty: 'undecided', witness: null })
  })
})

describe('a recursive definition', () => {
  const tree = (value: PropertyDefinition, combine: (node: PropertyDefinition) => PropertyDefinition = (node) => node): EventSpec =>
    specOf({ tree: { $ref: '#/$defs/node' } }, { $defs: { node: combine({ type: 'object', properties: { value, child: { $ref: '#/$defs/node' } } }) } })

  it('is compared once and reported where it is first met', () => {
    expect(diffSpecs(tree({ type: 'string' }), tree({ type: 'integer' })).map(({ path }) => path)).to.deep.equal(['/properties/tree/properties/value'])
  })

  it('does not hide a break behind its own recursion, not even under an exclusion', () => {
    const excluded = (value: PropertyDefinition): EventSpec =>
      specOf({ x: { not: { $ref: '#/$defs/node' } } }, { $defs: { node: { type: 'object', required: ['value'], properties: { value, child: { not: { $ref: '#/$defs/node' } } } } } })
    const changes = diffSpecs(excluded({ type: 'string', maxLength: 3 }), excluded({ type: 'string', maxLength: 5 }))
    expect(changes.flatMap(({ breaks }) => breaks)).to.include('producers')
  })
})
