import { pointerStep } from '../../../plain-json.ts'
import { matchesPattern, shapeOf } from '../object-shape.ts'
import type { Step } from '../place.ts'
import { likelyNames } from './object-samples.ts'
import { facetsOf } from './facets.ts'
import type { Facets } from './facets.ts'
import { sampleRegex } from './regex-sample.ts'
import { itemDefinitions } from './array-samples.ts'
import { written } from './create-sampler.ts'
import type { Sampler } from './sampler.ts'

/** Stands for a property that is left out. */
export const ABSENT = Symbol('absent')

const COMBINATORS: readonly string[] = ['anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems']

/** The way from the whole payload to a place: each step, and the definition that one side has behind it. */
export interface Trail {
  root: unknown
  steps: readonly Step[]
  definitions: readonly unknown[]
  /** For each step, what both sides ask of the object that it leads out of: kept, only the place itself tells them apart. */
  shared: readonly unknown[]
}

/** A place inside a payload, and how to write payloads with any value there. */
export interface Slot {
  /** JSON pointer of the place in the payload. */
  pointer: string
  put: (value: unknown) => unknown
}

type Wrap = (inner: unknown) => unknown

/**
 * Prepares payloads that keep to one side's definitions except, perhaps, at the place itself.
 * @returns `undefined` when there is no way to get there, such as through a pattern that no name is known for
 */
export function slotFor(sampler: Sampler, trail: Trail): Slot | undefined {
  const wraps: Wrap[] = []
  let pointer = ''
  let container: unknown = trail.root
  let isInBranch = false
  for (const [index, step] of trail.steps.entries()) {
    const inner = trail.definitions[index]
    if (step.to === 'branch') {
      container = besideOthers(sampler, container, inner, step)
      isInBranch = true
      continue
    }
    const stride = strideOf(sampler, isInBranch ? [container] : [trail.shared[index], container], step)
    isInBranch = false
    if (stride === undefined) return undefined
    wraps.push(stride.wrap)
    pointer += stride.pointer
    container = inner ?? true
  }
  return { pointer, put: (value) => wraps.reduceRight((inner, wrap) => wrap(inner), value) }
}

/** A member of a combinator applies beside everything else that the definition around it says. */
function besideOthers(sampler: Sampler, container: unknown, member: unknown, { keyword, key }: Extract<Step, { to: 'branch' }>): unknown {
  const facets = facetsOf(sampler.side, container)
  const rest = facets.map((facet) => written(facet, COMBINATORS))
  const condition = keyword === 'then' ? facets.flatMap(({ keywords }) => ('if' in keywords ? [keywords['if']] : [])) : []
  const trigger = keyword === 'dependentSchemas' ? [{ required: [String(key)] }] : []
  return { allOf: [...rest, ...condition, ...trigger, ...(member === undefined ? [] : [member])] }
}

/** @param containers what the object around should keep to, the best first; the last is what it has to */
function strideOf(sampler: Sampler, containers: readonly unknown[], step: Exclude<Step, { to: 'branch' }>): { wrap: Wrap; pointer: string } | undefined {
  const container = containers.at(-1)
  const facets = facetsOf(sampler.side, container)
  if (step.to === 'item') return itemStride(sampler, container, facets, step.index)
  const name = step.to === 'property' ? step.name : nameFor(sampler, facets, step)
  if (name === undefined) return undefined
  const base = firstOf(containers, (definition) => sampler.sample(definition).find((value) => typeof value === 'object' && value !== null && !Array.isArray(value))) ?? {}
  return { wrap: (inner) => withProperty(base as Record<string, unknown>, name, inner), pointer: pointerStep(name) }
}

function withProperty(base: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  if (value !== ABSENT) return { ...base, [name]: value }
  const { [name]: _left, ...others } = base
  return others
}

function firstOf<T>(definitions: readonly unknown[], find: (definition: unknown) => T | undefined): T | undefined {
  for (const definition of definitions) {
    const found = definition === undefined ? undefined : find(definition)
    if (found !== undefined) return found
  }
  return undefined
}

function itemStride(sampler: Sampler, container: unknown, facets: Facets, index: number | undefined): { wrap: Wrap; pointer: string } | undefined {
  const arrays = sampler.sample(container).filter((value) => Array.isArray(value)).toArray()
  const place = index ?? Math.max(0, ...facets.map(({ keywords }) => (Array.isArray(keywords['prefixItems']) ? keywords['prefixItems'].length : 0)))
  const base = arrays.find((array) => array.length > place) ?? arrays.at(-1) ?? []
  const filled: unknown[] = [...base]
  while (filled.length <= place) filled.push(sampler.sample({ allOf: itemDefinitions(facets, filled.length) }).next().value ?? null)
  return { wrap: (inner) => filled.with(place, inner === ABSENT ? null : inner), pointer: `/${place}` }
}

function nameFor(sampler: Sampler, facets: Facets, step: { to: 'matching'; pattern: string } | { to: 'other' }): string | undefined {
  const isListed = (name: string): boolean => facets.some(({ properties }) => Object.hasOwn(properties, name))
  const names = step.to === 'matching' ? sampleRegex(step.pattern) : likelyNames(sampler, facets)
  return names.find((name) => !isListed(name) && (step.to === 'matching' || !matchesAny(facets, name)))
}

function matchesAny(facets: Facets, name: string): boolean {
  return facets.some((facet) => Object.keys(shapeOf(facet).patterns).some((pattern) => matchesPattern(pattern, name) !== false))
}

