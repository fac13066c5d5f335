import { definitionsForOther, shapeOf } from '../object-shape.ts'
import type { Definition } from '../definition.ts'
import { own } from '../own.ts'
import { facetsOf, numbersOf, saidOf } from './facets.ts'
import type { Facets } from './facets.ts'
import { sampleRegex } from './regex-sample.ts'
import { sampleStrings } from './scalar-samples.ts'
import type { Sampler } from './sampler.ts'

type Names = Record<string, unknown>

const MAX_ADDED = 60

/** Objects with only what is required, and with everything that is listed. */
export function* sampleObjects(sampler: Sampler, facets: Facets): Generator<Names> {
  const least = fill(sampler, facets, new Set(facets.flatMap(({ required }) => [...required])))
  if (least === undefined) return
  yield least
  const listed = new Set([...Object.keys(least), ...facets.flatMap(({ properties }) => Object.keys(properties))])
  const most = Math.max(0, ...listedCounts(facets)) > MAX_ADDED ? undefined : fill(sampler, facets, listed, true)
  if (most !== undefined && Object.keys(most).length > Object.keys(least).length) yield most
}

/** What a property must be, by all that the facets say about its name. */
export function definitionOf(facets: Facets, name: string): unknown {
  const definitions = facets.flatMap((facet) => definitionsIn(facet, name))
  return definitions.length === 1 ? definitions[0] : { allOf: definitions }
}

function definitionsIn(facet: Definition, name: string): unknown[] {
  if (!Object.hasOwn(facet.properties, name)) return definitionsForOther(shapeOf(facet), name).definitions
  const { patterns } = shapeOf(facet)
  const matching = Object.keys(patterns).length === 0 ? [] : definitionsForOther({ patterns, others: true }, name).definitions
  return [facet.properties[name], ...matching]
}

function fill(sampler: Sampler, facets: Facets, wanted: ReadonlySet<string>, isLenient = false): Names | undefined {
  const names = new Set(wanted)
  for (const name of names) for (const dependent of dependentsOf(facets, name)) names.add(dependent)
  addUntil(names, Math.max(0, ...numbersOf(facets, 'minProperties')), sampler, facets)
  const value: Names = {}
  for (const name of names) {
    const [first] = sampler.sample(definitionOf(facets, name))
    if (first !== undefined) value[name] = first
    else if (!isLenient && wanted.has(name)) return undefined
  }
  return value
}

function dependentsOf(facets: Facets, name: string): string[] {
  return saidOf(facets, 'dependentRequired').flatMap((map) => {
    const list = own(map as Names, name)
    return Array.isArray(list) ? list.map(String) : []
  })
}

/** Adds further names, those first that the definition speaks of. */
function addUntil(names: Set<string>, count: number, sampler: Sampler, facets: Facets): void {
  if (names.size >= count) return
  for (const name of likelyNames(sampler, facets)) {
    if (names.size >= count || names.size >= MAX_ADDED) return
    names.add(name)
  }
}

/** Names that a definition lists, that its patterns match, or that nothing is said about. */
export function likelyNames(sampler: Sampler, facets: Facets): string[] {
  const listed = facets.flatMap(({ properties }) => Object.keys(properties))
  const matching = facets.flatMap((facet) => Object.keys(shapeOf(facet).patterns).flatMap((pattern) => sampleRegex(pattern).slice(0, 6)))
  const allowed = saidOf(facets, 'propertyNames').flatMap((names) => sampleStrings(facetsOf(sampler.side, names)).slice(0, 6))
  return [...new Set([...listed, ...matching, ...allowed, ...Array.from({ length: MAX_ADDED }, (_, index) => `other_${index + 1}`)])]
}

function listedCounts(facets: Facets): number[] {
  return facets.map(({ properties }) => Object.keys(properties).length)
}
