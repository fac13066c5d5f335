import type { Definition, Normaliser } from '../normal-form.ts'
import { bearsOn } from '../keyword-types.ts'
import { ARRAY, BOOLEAN, listTypes, NULL, NUMBER, OBJECT, STRING } from '../type-set.ts'
import type { TypeSet } from '../type-set.ts'
import { sampleArrays } from './array-samples.ts'
import { facetsOf, typesOf } from './facets.ts'
import type { Facets } from './facets.ts'
import { sampleObjects } from './object-samples.ts'
import { sampleNumbers, sampleStrings } from './scalar-samples.ts'

/** Writes values that keep to definitions of one side: likely ones, since what is certain is what the validators say. */
export interface Sampler {
  side: Normaliser
  /** A few different values, the simplest first; none for a definition that cannot be met, or not by this. */
  sample: (source: unknown) => readonly unknown[]
}

// A definition that requires itself has no values.
const MAX_DEPTH = 16
const MAX_SAMPLES = 12
// For all definitions of one side together; what people write needs some hundreds.
const MAX_WORK = 3_000
const MAX_BRANCHES = 8

export function createSampler(side: Normaliser): Sampler {
  const known = new WeakMap<object, readonly unknown[]>()
  let depth = 0
  let work = 0
  const sampler: Sampler = { side, sample }
  return sampler

  function sample(source: unknown): readonly unknown[] {
    const key = typeof source === 'object' && source !== null ? source : undefined
    const before = key && known.get(key)
    if (before) return before
    if (depth > MAX_DEPTH || work++ > MAX_WORK) return []
    depth += 1
    const samples = choose(facetsOf(side, source)).slice(0, MAX_SAMPLES)
    depth -= 1
    if (key) known.set(key, samples)
    return samples
  }

  function choose(facets: Facets): unknown[] {
    const branches = branchesOf(facets)
    if (branches !== undefined) return branches.slice(0, MAX_BRANCHES).flatMap((branch) => sample(branch).slice(0, 4))
    const listed = facets.map(({ values }) => values).find((values) => values !== undefined)
    if (listed !== undefined) return [...listed]
    return interleave(byType(facets))
  }

  /** The types that the definition has most to say about come first: a condition on objects is about objects. */
  function byType(facets: Facets): unknown[][] {
    const types = typesOf(facets)
    const choices: { type: TypeSet; samples: () => unknown[] }[] = [
      { type: STRING, samples: () => sampleStrings(facets) },
      { type: NUMBER, samples: () => sampleNumbers(facets) },
      { type: OBJECT, samples: () => sampleObjects(sampler, facets) },
      { type: ARRAY, samples: () => sampleArrays(sampler, facets) },
      { type: BOOLEAN, samples: () => [true, false] },
      { type: NULL, samples: () => [null] },
    ]
    const possible = choices.filter(({ type }) => (type & types) !== 0)
    return possible.sort((one, other) => Number(saysMuch(facets, other.type)) - Number(saysMuch(facets, one.type))).map(({ samples }) => samples())
  }
}

/**
 * The ways in which the first undecided combinator can be met, each written as one definition: an alternative beside the rest,
 * a condition with what follows from it.
 */
function branchesOf(facets: Facets): unknown[] | undefined {
  for (const facet of facets) {
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const members = facet.keywords[keyword]
      if (Array.isArray(members)) return members.map((member: unknown) => ({ allOf: [restOf(facets, facet, [keyword]), member] }))
    }
    if ('if' in facet.keywords) {
      const rest = restOf(facets, facet, ['if', 'then', 'else'])
      const { if: condition, then: consequence = true, else: otherwise = true } = facet.keywords
      return [{ allOf: [rest, otherwise] }, { allOf: [rest, condition, consequence] }]
    }
  }
  return undefined
}

/** All that the facets say, less some keywords of one of them. */
function restOf(facets: Facets, chosen: Definition, without: readonly string[]): unknown {
  return { allOf: facets.map((facet) => written(facet, facet === chosen ? without : [])) }
}

/** Writes a normal form as a definition again; its `allOf` members are facets of their own. */
export function written(facet: Definition, without: readonly string[] = []): Record<string, unknown> {
  const keywords = Object.fromEntries(Object.entries(facet.keywords).filter(([name]) => !without.includes(name)))
  return {
    ...keywords,
    ...typeKeyword(facet),
    ...(facet.values === undefined ? {} : { enum: facet.values }),
    ...(Object.keys(facet.properties).length === 0 ? {} : { properties: facet.properties }),
    required: [...facet.required],
  }
}

function typeKeyword({ declared }: Definition): Record<string, unknown> {
  return { type: listTypes(declared) }
}

function saysMuch(facets: Facets, type: TypeSet): boolean {
  return facets.some(({ keywords, properties, required }) => {
    if (type === OBJECT && (required.size > 0 || Object.keys(properties).length > 0)) return true
    return Object.entries(keywords).some(([name, value]) => bearsOn(name, value) === type)
  })
}

function interleave(lists: unknown[][]): unknown[] {
  const longest = Math.max(...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, index) => lists.filter((list) => index < list.length).map((list) => list[index])).flat()
}
