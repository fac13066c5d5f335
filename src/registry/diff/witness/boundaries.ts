import { canonicalText } from '../canonical-text.ts'
import { ARRAY, OBJECT } from '../type-set.ts'
import { arrayOf, itemDefinitions } from './array-samples.ts'
import { facetsOf, numbersOf, saidOf, typesOf } from './facets.ts'
import type { Facets } from './facets.ts'
import { samplesOfFormat, UNFORMATTED } from './format-samples.ts'
import { definitionOf, likelyNames } from './object-samples.ts'
import { sampleRegex } from './regex-sample.ts'
import { written } from './create-sampler.ts'
import type { Sampler } from './sampler.ts'
import { cleanProduct, lettersOf } from './scalar-samples.ts'

const EVERY_TYPE: readonly unknown[] = ['text', '', 1, 0, 1.5, -1, true, false, null, {}, []]
const MAX_NESTING = 1

/**
 * Values at and around every limit that a definition draws, good ones and bad ones. They come in stages, those first that are
 * likeliest to tell two definitions apart and cost least; a stage is worked out when it is asked for.
 */
export function boundaryStages(sampler: Sampler, source: unknown): readonly (() => unknown[])[] {
  if (source === undefined) return []
  const facets = facetsOf(sampler.side, source)
  return [
    () => [...facets.flatMap(({ values }) => values ?? []), ...aroundNumbers(facets), ...aroundStrings(facets)],
    () => [...sampler.sample(source)],
    () => ((typesOf(facets) & ARRAY) === 0 ? [] : aroundArrays(sampler, facets)),
    () => ((typesOf(facets) & OBJECT) === 0 ? [] : aroundObjects(sampler, facets)),
    () => insideCombinators(sampler, facets, 0),
    () => [...EVERY_TYPE],
  ]
}

export function distinct(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [canonicalText(value), value])).values()]
}

function aroundNumbers(facets: Facets): number[] {
  const edges = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].flatMap((keyword) => numbersOf(facets, keyword))
  const steps = numbersOf(facets, 'multipleOf')
  const near = edges.flatMap((edge) => [edge, edge - 1, edge + 1, cleanProduct(edge - 0.5, 1), cleanProduct(edge + 0.5, 1)])
  const multiples = steps.flatMap((step) => [1, 2, 3, 4, 5, 6, 7, 9, 10, 15, 21, 0.5].map((turn) => cleanProduct(step, turn)))
  const inRange = steps.flatMap((step) => edges.map((edge) => cleanProduct(Math.ceil(edge / step), step)))
  return [...near, ...multiples, ...inRange].map((value) => value + 0)
}

function aroundStrings(facets: Facets): unknown[] {
  const lengths = [...numbersOf(facets, 'minLength'), ...numbersOf(facets, 'maxLength')]
  const byLength = lengths.flatMap((length) => [length, length - 1, length + 1]).filter((length) => length >= 0)
  const patterns = saidOf(facets, 'pattern').map(String).flatMap(sampleRegex)
  const ofLength = patterns.flatMap((text) => byLength.filter((length) => length > 0 && length < 200).map((length) => text.repeat(Math.ceil(length / Math.max(text.length, 1))).slice(0, length)))
  const formats = saidOf(facets, 'format')
  return [...byLength.map(lettersOf), ...patterns, ...ofLength.slice(0, 30), ...formats.flatMap(samplesOfFormat), ...(formats.length > 0 ? UNFORMATTED : []), '!', 'A1']
}

function aroundArrays(sampler: Sampler, facets: Facets): unknown[] {
  const bounds = ['minItems', 'maxItems', 'minContains', 'maxContains'].flatMap((keyword) => numbersOf(facets, keyword))
  const lengths = new Set([0, 1, 2, 3, ...bounds.flatMap((bound) => [bound, bound - 1, bound + 1])])
  const arrays = [...lengths].filter((length) => length >= 0).map((length) => arrayOf(sampler, facets, length)).filter((array) => array !== undefined)
  const atLimits = arrays.slice(0, 3).flatMap((array) => array.slice(0, 2).flatMap((_, place) => itemLimits(sampler, facets, place).map((item) => array.with(place, item))))
  const strangers = ['text', 1, null, {}, 0.5].flatMap((item) => arrays.slice(0, 4).map((array) => [...array, item]))
  const replaced = arrays.filter((array) => array.length > 0).flatMap((array) => [0, 1, 2].flatMap((place) => ['text', 1, null].map((item) => array.with(Math.min(place, array.length - 1), item))))
  const contained = saidOf(facets, 'contains').flatMap((definition) => sampler.sample(definition).take(6).toArray())
  const full = bounds.flatMap((bound) => contained.flatMap((item) => [bound, bound + 1].map((count) => Array.from({ length: Math.min(count, 50) }, () => item))))
  return [...arrays, ...atLimits.slice(0, 6), ...arrays.map((array) => [...array, ...array.slice(-1)]), ...contained.map((item) => [item]), ...full, ...strangers, ...replaced.slice(0, 30)]
}

/** Numbers and texts at the limits of what stands at a place of an array. */
function itemLimits(sampler: Sampler, facets: Facets, place: number): unknown[] {
  const item = facetsOf(sampler.side, { allOf: itemDefinitions(facets, place) })
  return [...aroundNumbers(item), ...aroundStrings(item)].slice(0, 4)
}

function aroundObjects(sampler: Sampler, facets: Facets): unknown[] {
  const MAX_VARIED = 12
  const triggers = saidOf(facets, 'dependentRequired').concat(saidOf(facets, 'dependentSchemas')).flatMap((map) => Object.keys(map as object))
  const triggered = triggers.slice(0, 6).map((name) => ({ allOf: [facets[0].source, { required: [name] }] }))
  const bases = [facets[0].source, ...triggered].flatMap((source) => sampler.sample(source).filter(isObject).take(2).toArray())
  const names = likelyNames(sampler, facets)
  const counts = ['minProperties', 'maxProperties'].flatMap((keyword) => numbersOf(facets, keyword)).flatMap((count) => [count, count - 1, count + 1])
  const sized = counts.filter((count) => count >= 0 && count <= 60).map((count) => Object.fromEntries(names.slice(0, count).map((name) => [name, firstOf(sampler, facets, name)])))
  const added = bases.flatMap((base) => [...triggers, ...names].slice(0, MAX_VARIED).flatMap((name) => [{ ...base, [name]: firstOf(sampler, facets, name) }, { ...base, [name]: {} }, { ...base, [name]: 'text' }]))
  const dropped = bases.flatMap((base) => Object.keys(base).slice(0, MAX_VARIED).map((name) => Object.fromEntries(Object.entries(base).filter(([other]) => other !== name))))
  const longNames = bases.flatMap((base) => ['', 'A', 'x-y', lettersOf(40)].map((name) => ({ ...base, [name]: 1 })))
  return [...bases, ...sized, ...dropped, ...added, ...longNames]
}

function firstOf(sampler: Sampler, facets: Facets, name: string): unknown {
  return sampler.sample(definitionOf(facets, name)).next().value ?? null
}

/** What the members of combinators draw limits around, each beside the rest of the definition. */
function insideCombinators(sampler: Sampler, facets: Facets, nesting: number): unknown[] {
  const MAX_MEMBERS = 6
  const members = facets.flatMap(({ keywords }) => [
    ...['anyOf', 'oneOf'].flatMap((keyword) => (Array.isArray(keywords[keyword]) ? keywords[keyword] : [])),
    ...['not', 'if', 'then', 'else'].flatMap((keyword) => (keyword in keywords ? [keywords[keyword]] : [])),
    ...Object.values((keywords['dependentSchemas'] ?? {})),
  ])
  const rest = facets.map((facet) => written(facet, ['anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas']))
  return members.slice(0, MAX_MEMBERS).flatMap((member: unknown) => {
    const beside = { allOf: [...rest, member] }
    const stages = boundaryStages(sampler, beside).slice(0, 4)
    const deeper = nesting < MAX_NESTING ? insideCombinators(sampler, facetsOf(sampler.side, beside), nesting + 1) : []
    return [...stages.flatMap((stage) => stage().slice(0, 12)), ...deeper.slice(0, 30)]
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
