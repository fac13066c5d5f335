import { numbersOf, saidOf } from './facets.ts'
import type { Facets } from './facets.ts'
import { canonicalText } from '../canonical-text.ts'
import type { Sampler } from './sampler.ts'

// Enough to pass any bound that people write; a witness of thousands of items helps nobody.
const MAX_ITEMS = 200

/** Arrays of the fewest items allowed, of one more, and of all the listed positions. */
export function* sampleArrays(sampler: Sampler, facets: Facets): Generator<unknown[]> {
  const min = Math.max(0, ...numbersOf(facets, 'minItems'), ...containedCounts(facets))
  const max = Math.min(MAX_ITEMS, ...numbersOf(facets, 'maxItems'))
  const positions = Math.max(0, ...saidOf(facets, 'prefixItems').map((list) => (Array.isArray(list) ? list.length : 0)))
  const lengths = [...new Set([min, min + 1, Math.max(min, positions)])].filter((length) => length <= max)
  for (const length of lengths) {
    const array = arrayOf(sampler, facets, length)
    if (array !== undefined) yield array
  }
}

/** An array of that many items that keep to the definition; `undefined` when there are none. */
export function arrayOf(sampler: Sampler, facets: Facets, length: number): unknown[] | undefined {
  const isUnique = saidOf(facets, 'uniqueItems').includes(true)
  const contained = saidOf(facets, 'contains').flatMap((definition, place) => Array.from({ length: numbersOf(facets, 'minContains')[place] ?? 1 }, () => definition))
  const array: unknown[] = []
  const seen = new Set<string>()
  for (let index = 0; index < Math.min(length, MAX_ITEMS); index++) {
    const wanted = contained[index]
    const definition = { allOf: [...itemDefinitions(facets, index), ...(wanted === undefined ? [] : [wanted])] }
    const item = sampler.sample(definition).find((candidate) => !isUnique || !seen.has(canonicalText(candidate))) ?? anyUnused(sampler, definition, seen)
    if (item === undefined) return undefined
    seen.add(canonicalText(item))
    array.push(item)
  }
  return array
}

/** Numbers in a row, for long arrays without a repetition. */
function anyUnused(sampler: Sampler, definition: unknown, seen: ReadonlySet<string>): unknown {
  const [first] = sampler.sample(definition)
  if (first === undefined) return undefined
  for (let turn = 1; turn <= MAX_ITEMS; turn++) {
    const candidate = typeof first === 'number' ? first + turn : typeof first === 'string' ? `${first}${turn}` : undefined
    if (candidate !== undefined && !seen.has(canonicalText(candidate))) return candidate
  }
  return undefined
}

export function itemDefinitions(facets: Facets, index: number): unknown[] {
  return facets.map(({ keywords }) => {
    const positions = Array.isArray(keywords['prefixItems']) ? keywords['prefixItems'] : []
    return index < positions.length ? positions[index] : 'items' in keywords ? keywords['items'] : true
  })
}

function containedCounts(facets: Facets): number[] {
  return facets.map(({ keywords }) => ('contains' in keywords ? Number(keywords['minContains'] ?? 1) : 0))
}
