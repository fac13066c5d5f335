import type { EventSpec } from '../../event-spec.ts'
import { payloadPart } from '../../payload-part.ts'
import type { Definitions, Finding } from '../finding.ts'
import type { Sides } from '../comparison.ts'
import { PairMap } from '../pair-map.ts'
import type { Field } from '../place.ts'
import type { SchemaDocument } from '../schema-document.ts'
import { isAttributed } from './attribution.ts'
import { boundaryStages, distinct } from './boundaries.ts'
import { ABSENT, slotFor } from './embed.ts'
import type { Slot } from './embed.ts'
import { lazyJudge } from './judges.ts'
import { ANY_TYPE, typeOfValue } from '../type-set.ts'
import { facetsOf, typesOf } from './facets.ts'
import { createSampler } from './create-sampler.ts'
import type { Sampler } from './sampler.ts'

/** What the search came to: proven, when an event was found that shows the break from which the change has its severity. */
export interface Proof {
  isProven: boolean
  witness: Record<string, unknown> | null
}

export const UNPROVEN: Proof = { isProven: false, witness: null }

export type WitnessSearch = (finding: Finding) => Proof

export interface SearchInput {
  from: EventSpec
  field: Field
  sides: Sides
  documents: { from: SchemaDocument; to: SchemaDocument }
  /** All that will be searched for. */
  findings: readonly Finding[]
}

type Side = 'from' | 'to'

const MAX_ATTEMPTS_EACH = 160
// For all findings of one diff that come to nothing, counted and not timed: a busy machine must not decide what is proven.
const MAX_VAIN_ATTEMPTS = 2_000
// For all findings, those that are proven included: about a second, for a spec of the largest size that changed everywhere.
const MAX_ATTEMPTS = 20_000
// An attempt takes as long as the spec is large: it counts once for each so many definitions and listed values.
const SIZE_PER_ATTEMPT = 100
// Nested in each other, more take ajv seconds to compile.
const MAX_ALTERNATIVES = 200

/** Prepares the search for events that one side accepts and the other refuses; costs nothing until the first is asked for. */
export function witnessSearch({ from, field, sides, documents, findings }: SearchInput): WitnessSearch {
  const onTheWay = new Set(findings.flatMap(({ at }) => at.flatMap((step) => (step.to === 'property' ? [step.name] : []))))
  const judges = { from: lazyJudge(documents.from, onTheWay), to: lazyJudge(documents.to, onTheWay) }
  const samplers: Record<Side, Sampler> = { from: createSampler(sides.from), to: createSampler(sides.to) }
  const roots = { from: documents.from.root, to: documents.to.root }
  const shared = new PairMap<object>()
  let size: Size | undefined
  let vainAttempts = 0
  let allAttempts = 0
  return search

  function search(finding: Finding): Proof {
    const { producers, consumers } = finding.acceptance
    const { isHostile, weight } = (size ??= measure(documents))
    if ((!producers && !consumers) || isHostile) return UNPROVEN
    const accepting: Side = producers ? 'from' : 'to'
    const refusing: Side = producers ? 'to' : 'from'
    let attempts = 0
    for (const { payload, pointer } of candidates(finding, accepting)) {
      allAttempts += weight
      if (attempts++ >= MAX_ATTEMPTS_EACH || vainAttempts + attempts * weight > MAX_VAIN_ATTEMPTS || allAttempts > MAX_ATTEMPTS) break
      if (!judges[accepting].accepts(payload)) continue
      if (isAttributed(judges[refusing].faults(payload), finding, pointer)) return { isProven: true, witness: inEvent(payload) }
    }
    vainAttempts += attempts * weight
    return UNPROVEN
  }

  /** Payloads with every likely value at the place; if none of them tells, with every likely value of what is around it. */
  function* candidates(finding: Finding, accepting: Side): Generator<{ payload: unknown; pointer: string }> {
    const place = slot(finding.at.length)
    if (place === undefined) return
    const accepted = finding.definitions[accepting]
    const types = accepted === undefined ? ANY_TYPE : typesOf(facetsOf(samplers[accepting].side, accepted))
    for (const value of valuesFor(finding)) {
      // What is of no type that the accepting side allows need not be tried; what a validator says costs as much as the spec is large.
      if (value === ABSENT || (typeOfValue(value) & types) !== 0) yield { payload: place.put(value), pointer: place.pointer }
    }
    const around = finding.at.length > 0 ? slot(finding.at.length - 1) : undefined
    if (around === undefined) return
    const definitions = finding.trail.at(-2) ?? roots
    for (const value of limitsOf(definitions)) yield { payload: around.put(value), pointer: place.pointer }

    function slot(depth: number): Slot | undefined {
      return slotFor(samplers[accepting], {
        root: roots[accepting],
        steps: finding.at.slice(0, depth),
        definitions: finding.trail.map((definitions) => definitions[accepting]),
        shared: [roots, ...finding.trail].map(sharedBy),
      })
    }
  }

  /** The same object for the same two, so that what keeps to it is worked out once for all findings. */
  function sharedBy({ from: before, to: after }: Definitions): unknown {
    if (before === undefined || after === undefined) return undefined
    const known = shared.get(before, after) ?? { allOf: [before, after] }
    shared.set(before, after, known)
    return known
  }

  function* valuesFor({ rule, at, definitions, from: before, to: after }: Finding): Generator<unknown> {
    const isProperty = at.at(-1)?.to === 'property'
    const isAboutPresence = rule.startsWith('prop.') || rule === 'event.context-props'
    if (isProperty && isAboutPresence) yield ABSENT
    if (rule.startsWith('enum.') || rule.startsWith('const.')) yield* [before, after].filter((value) => value !== undefined)
    yield* limitsOf(definitions)
    if (isProperty && !isAboutPresence) yield ABSENT
  }

  /** What lies at the limits of either side's definition, in turns. */
  function* limitsOf(definitions: Definitions): Generator<unknown> {
    const stages = [boundaryStages(samplers.from, definitions.from), boundaryStages(samplers.to, definitions.to)]
    for (let stage = 0; stages.some((list) => stage < list.length); stage++) {
      const limits = stages.map((list) => list[stage]?.() ?? [])
      const longest = Math.max(...limits.map((list) => list.length))
      yield* distinct(Array.from({ length: longest }, (_, index) => limits.flatMap((list) => (index < list.length ? [list[index]] : []))).flat())
    }
  }

  function inEvent(payload: unknown): Record<string, unknown> {
    if (field === 'context_properties') return { context: { attributes: payload } }
    return { [payloadPart(from.type) ?? 'properties']: payload }
  }
}

interface Size {
  isHostile: boolean
  /** What one attempt counts for. */
  weight: number
}

function measure({ from, to }: SearchInput['documents']): Size {
  return {
    isHostile: [from, to].some((document) => countAlternatives(document) > MAX_ALTERNATIVES),
    weight: Math.max(1, (sizeOf(from) + sizeOf(to)) / SIZE_PER_ATTEMPT),
  }
}

function sizeOf({ definitions }: SchemaDocument): number {
  return definitions.reduce((sum, { enum: values }) => sum + 1 + (Array.isArray(values) ? values.length : 0), 0)
}

function countAlternatives({ definitions }: SchemaDocument): number {
  const lists = definitions.flatMap((definition) => ['anyOf', 'oneOf', 'allOf'].map((keyword) => definition[keyword]))
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
}
