import type { Definition } from '../definition.ts'
import type { Normaliser } from '../normal-form.ts'

/** A definition, and those beside it in `allOf` that could not be merged with it: a value must keep to each. */
export type Facets = readonly [Definition, ...Definition[]]

export function facetsOf(side: Normaliser, source: unknown): Facets {
  const first = side.normalise(source)
  const facets: [Definition, ...Definition[]] = [first]
  for (const facet of facets) for (const member of facet.conjuncts) if (facets.length < 20) facets.push(side.normalise(member))
  return facets
}

/** The numbers that a keyword has in any facet. */
export function numbersOf(facets: Facets, keyword: string): number[] {
  return facets.map(({ keywords }) => keywords[keyword]).filter((value) => typeof value === 'number')
}

/** What a keyword says in any facet. */
export function saidOf(facets: Facets, keyword: string): unknown[] {
  return facets.map(({ keywords }) => keywords[keyword]).filter((value) => value !== undefined)
}

export function typesOf(facets: Facets): number {
  return facets.reduce((types, facet) => types & facet.possible, facets[0].possible)
}
