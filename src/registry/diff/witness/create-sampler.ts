import type { Definition } from '../definition.ts'
import type { Normaliser } from '../normal-form.ts'
import { bearsOn } from '../keyword-types.ts'
import { ARRAY, BOOLEAN, listTypes, NULL, NUMBER, OBJECT, STRING } from '../type-set.ts'
import type { TypeSet } from '../type-set.ts'
import { sampleArrays } from './array-samples.ts'
import { facetsOf, typesOf } from './facets.ts'
import type { Facets } from './facets.ts'
import { sampleObjects } from './object-samples.ts'
import type { Sampler } from './sampler.ts'
import { sampleNumbers, sampleStrings } from './scalar-samples.ts'

/** The samples of one definition, as far as they were asked for. */
interface Samples {
  found: unknown[]
  rest: Iterator<unknown>
  /** While the next is worked out: what needs samples of itself to be sampled gets those before. */
  isBusy: boolean
}

// Written anew at each turn, a definition can be inside itself without being the same object.
const MAX_DEPTH = 16
const MAX_SAMPLES = 12
// For all definitions of one side together; what people write needs some hundreds.
const MAX_WORK = 3_000
const MAX_BRANCHES = 8

export function createSampler(side: Normaliser): Sampler {
  const known = new WeakMap<object, Samples>()
  let depth = 0
  let work = 0
  const sampler: Sampler = { side, sample }
  return sampler

  function* sample(source: unknown): Generator<unknown> {
    const samples = samplesOf(source)
    for (let index = 0; index < MAX_SAMPLES && (index < samples.found.length || workOutNext(samples)); index++) yield samples.found[index]
  }

  function samplesOf(source: unknown): Samples {
    const key = typeof source === 'object' && source !== null ? source : undefined
    const before = key && known.get(key)
    if (before) return before
    const samples = { found: [], rest: work++ > MAX_WORK ? [].values() : choose(source), isBusy: false }
    if (key) known.set(key, samples)
    return samples
  }

  function workOutNext(samples: Samples): boolean {
    if (samples.isBusy || depth > MAX_DEPTH) return false
    samples.isBusy = true
    depth += 1
    try {
      const { value, done } = samples.rest.next()
      if (!done) samples.found.push(value)
      return !done
    } finally {
      samples.isBusy = false
      depth -= 1
    }
  }

  function* choose(source: unknown): Generator<unknown> {
    const facets = facetsOf(side, source)
    const branches = branchesOf(facets)
    const listed = facets.map(({ values }) => values).find((values) => values !== undefined)
    if (branches !== undefined) for (const branch of branches.slice(0, MAX_BRANCHES)) yield* sample(branch).take(4)
    else if (listed !== undefined) yield* listed
    else yield* interleave(byType(facets))
  }

  /** The types that the definition has most to say about come first: a condition on objects is about objects. */
  function byType(facets: Facets): Iterator<unknown>[] {
    const types = typesOf(facets)
    const choices: { type: TypeSet; samples: () => Iterator<unknown> }[] = [
      { type: STRING, samples: () => sampleStrings(facets).values() },
      { type: NUMBER, samples: () => sampleNumbers(facets).values() },
      { type: OBJECT, samples: () => sampleObjects(sampler, facets) },
      { type: ARRAY, samples: () => sampleArrays(sampler, facets) },
      { type: BOOLEAN, samples: () => [true, false].values() },
      { type: NULL, samples: () => [null].values() },
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

/** The first of each, then the second of each. */
function* interleave(lists: Iterator<unknown>[]): Generator<unknown> {
  for (let left = lists; left.length > 0; ) {
    const unfinished: Iterator<unknown>[] = []
    for (const list of left) {
      const { value, done } = list.next()
      if (done) continue
      yield value
      unfinished.push(list)
    }
    left = unfinished
  }
}
