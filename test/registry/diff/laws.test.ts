import { expect } from 'chai'
import fc from 'fast-check'
import { dump } from 'js-yaml'
import { compareDocuments } from '../../../src/registry/diff/comparison.ts'
import { diffSpecs } from '../../../src/registry/diff/diff.ts'
import { families } from '../../../src/registry/diff/families.ts'
import { schemaDocument } from '../../../src/registry/diff/schema-document.ts'
import type { EventSpec } from '../../../src/registry/event-spec.ts'
import { resolveRef } from '../../../src/registry/local-ref.ts'
import { readSpecDocument } from '../../../src/registry/spec-document.ts'
import { isSchemaObject, mapSubschemas } from '../../../src/registry/subschemas.ts'
import type { JsonSchema } from '../../../src/registry/subschemas.ts'
import { randomPair } from './support/contradictions.ts'
import { seededRandom } from './support/random.ts'
import { randomSpec } from './support/random-specs.ts'

const seeds = fc.noShrink(fc.integer({ min: 1, max: 2 ** 31 - 1 }))
// The same specs in every run of the suite; scripts/prove.ts goes on to others.
const SEED = 2012
const RUNS = { numRuns: 400, seed: SEED }

/** Rewrites every definition of a spec, the inner ones first. */
function rewritten(spec: EventSpec, rewrite: (definition: JsonSchema) => unknown): EventSpec {
  const visit = (definition: unknown): unknown => (isSchemaObject(definition) ? rewrite(mapSubschemas(definition, visit)) : definition)
  const inMap = (map: unknown): unknown => (isSchemaObject(map) ? Object.fromEntries(Object.entries(map).map(([name, definition]) => [name, visit(definition)])) : map)
  const copy: EventSpec = { ...spec }
  for (const part of ['properties', 'context_properties', '$defs']) if (part in spec) copy[part] = inMap(spec[part])
  return copy
}

const EQUAL_FORMS: Record<string, (definition: JsonSchema) => unknown> = {
  'keys in another order': (definition) => Object.fromEntries(Object.entries(definition).reverse()),
  'a list of one type': (definition) => (typeof definition['type'] === 'string' ? { ...definition, type: [definition['type']] } : definition),
  'an enum of one value for a constant': ({ const: value, ...rest }) => (value === undefined || 'enum' in rest ? { ...rest, ...(value === undefined ? {} : { const: value }) } : { ...rest, enum: [value] }),
  'an enum in another order': (definition) => (Array.isArray(definition['enum']) ? { ...definition, enum: definition['enum'].toReversed() } : definition),
  'alternatives in another order': (definition) => {
    const turned = ['anyOf', 'oneOf'].filter((keyword) => Array.isArray(definition[keyword])).map((keyword) => [keyword, (definition[keyword] as unknown[]).toReversed()])
    return { ...definition, ...Object.fromEntries(turned) }
  },
  'keywords that refuse nothing': (definition) => ({ minLength: 0, minItems: 0, uniqueItems: false, required: false, ...definition }),
  'required in the parent': (definition) => {
    const properties = definition['properties']
    if (!isSchemaObject(properties)) return definition
    const marked = Object.keys(properties).filter((name) => isSchemaObject(properties[name]) && properties[name]['required'] === true)
    if (marked.length === 0 || typeof definition['required'] === 'boolean') return definition
    const bare = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, isSchemaObject(inner) && inner['required'] === true ? { ...inner, required: false } : inner]))
    return { ...definition, properties: bare, required: [...new Set([...((definition['required'] as string[] | undefined) ?? []), ...marked])] }
  },
}

describe('the laws of the diff', () => {
  it('finds no change between a spec and itself', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const spec = randomSpec(seededRandom(seed))
        expect(diffSpecs(spec, structuredClone(spec))).to.deep.equal([])
      }),
      RUNS,
    )
  })

  for (const [form, rewrite] of Object.entries(EQUAL_FORMS)) {
    it(`finds no change in ${form}`, () => {
      fc.assert(
        fc.property(seeds, (seed) => {
          const spec = randomSpec(seededRandom(seed))
          for (const [from, to] of [[spec, rewritten(spec, rewrite)], [rewritten(spec, rewrite), spec]] as const) {
            expect(diffSpecs(from, to, { witness: false }), JSON.stringify(spec)).to.deep.equal([])
          }
        }),
        RUNS,
      )
    })
  }

  it('finds no change in a reference that is written out', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const spec = randomSpec(seededRandom(seed))
        const root = { $defs: spec['$defs'] }
        const written = rewritten(spec, (definition) => (Object.keys(definition).join() === '$ref' ? resolveRef(root, definition['$ref']) : definition))
        expect(diffSpecs(spec, { ...written, $defs: spec['$defs'] }, { witness: false }), JSON.stringify(spec)).to.deep.equal([])
      }),
      RUNS,
    )
  })

  it('finds nothing that breaks anyone where a description is written beside a reference', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const spec = randomSpec(seededRandom(seed))
        const described = rewritten(spec, (definition) => (Object.keys(definition).join() === '$ref' ? { ...definition, description: 'beside' } : definition))
        const changes = diffSpecs(spec, described, { witness: false })
        expect(changes.filter(({ kind }) => kind !== 'PATCH'), JSON.stringify(spec)).to.deep.equal([])
      }),
      RUNS,
    )
  })

  it('finds no change between YAML and JSON', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const text = JSON.stringify(randomSpec(seededRandom(seed)))
        const specs = [readSpecDocument(text, 'json'), readSpecDocument(dump(JSON.parse(text), { noRefs: true }), 'yaml')] as [EventSpec, EventSpec]
        expect(diffSpecs(...specs)).to.deep.equal([])
      }),
      RUNS,
    )
  })

  it('mirrors who is broken when the versions change places', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { from, to } = randomPair(seededRandom(seed))
        const documents = { from: schemaDocument(from, 'properties'), to: schemaDocument(to, 'properties') }
        const there = compareDocuments(documents, families).breaks
        const back = compareDocuments({ from: documents.to, to: documents.from }, families).breaks
        expect(there).to.deep.equal({ producers: back.consumers, consumers: back.producers })
      }),
      { numRuns: 1_000, seed: SEED },
    )
  })

  it('comes out the same every time, in the same order', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { from, to } = randomPair(seededRandom(seed))
        const once = JSON.stringify(diffSpecs(from, to))
        expect(JSON.stringify(diffSpecs(structuredClone(from), structuredClone(to)))).to.equal(once)
      }),
      { numRuns: 60, seed: SEED },
    )
  })
})
