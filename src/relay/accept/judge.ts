import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import type { Violation } from '../../registry/violation.ts'
import type { Settings } from '../../settings.ts'
import type { DeprecationNotice, PlannedSpec } from '../../snapshot/planned-spec.ts'
import type { Snapshot, SpecResolution } from '../../snapshot/snapshot.ts'
import type { Source } from '../../store/sources.ts'
import { isSampledIn } from './sampling.ts'

/** What the event specs say of an event. */
export interface Judgement {
  verdict: 'accepted' | 'quarantined' | 'sampled_out' | 'blocked'
  /** `namespace/name@version` of the spec that judged it. */
  spec: string | undefined
  violations: Violation[]
  /** What the sender of a deprecated spec is told. */
  deprecation?: DeprecationNotice
}

/** Several event specs of the source fit. */
export interface Ambiguity {
  verdict: 'ambiguous'
  candidates: string[]
}

export interface JudgeInput {
  snapshot: Snapshot
  source: Source
  event: CanonicalEvent
}

type Policy = Settings['relayValidation']

/**
 * Judges an event by the spec that governs it and by the settings.
 * @returns `ambiguous` with the candidates when several namespaces of the source hold an event of that name
 */
export async function judge(deps: { random: () => number }, { snapshot, source, event }: JudgeInput): Promise<Judgement | Ambiguity> {
  return judgeAll(deps, { snapshot, source, events: [event] }).then(([judged]) => judged as Judgement | Ambiguity)
}

/** As `judge`, for the events of one request: each spec is looked for once. */
export async function judgeAll(
  deps: { random: () => number },
  { snapshot, source, events }: { snapshot: Snapshot; source: Source; events: CanonicalEvent[] },
): Promise<(Judgement | Ambiguity)[]> {
  if (!snapshot.settings.hooksEnabled) return events.map(() => PASSED)
  const found = await resolveAll(snapshot, source, events)
  return events.map((event, index) => judgeBy(deps, found[index] as SpecResolution, { settings: snapshot.settings, source, event }))
}

async function resolveAll(snapshot: Snapshot, source: Source, events: CanonicalEvent[]): Promise<SpecResolution[]> {
  const known = new Map<string, SpecResolution>()
  const resolved: SpecResolution[] = []
  for (const event of events) {
    const name = event.event_name ?? event.name
    const version = event.event_version
    const key = `${event.type}\n${version ?? ''}\n${name ?? ''}`
    const found = known.get(key) ?? (await snapshot.resolveSpec(source, { type: event.type, name, version }))
    known.set(key, found)
    resolved.push(found)
  }
  return resolved
}

const PASSED: Judgement = { verdict: 'accepted', spec: undefined, violations: [] }

function judgeBy(deps: { random: () => number }, found: SpecResolution, input: { settings: Settings; source: Source; event: CanonicalEvent }): Judgement | Ambiguity {
  const { settings, source, event } = input
  const passed = PASSED
  switch (found.kind) {
    case 'ambiguous':
      return { verdict: 'ambiguous', candidates: found.candidates }
    case 'unplanned':
      // An allowed one is not even noted: it breaks nothing.
      return settings.relayUnplanned === 'allow' ? passed : { ...passed, ...applyPolicy(settings.relayUnplanned, [unplanned(source, event)]) }
    case 'unknown_version':
      return { ...passed, ...applyPolicy(settings.relayValidation, [unknownVersion(found.candidate, found.version)]) }
    case 'planned':
      return judgeByPlan(deps, found.spec, event, settings)
  }
}

function judgeByPlan(deps: { random: () => number }, spec: PlannedSpec, event: CanonicalEvent, settings: Settings): Judgement {
  const violations = spec.status === 'deleted' ? [deleted(spec)] : spec.validate(event.properties ?? event.traits, event.context.attributes)
  const judged = { ...applyPolicy(policyOf(spec, settings), violations), spec: spec.id, ...(spec.deprecation ? { deprecation: spec.deprecation } : {}) }
  if (judged.verdict === 'accepted' && !isSampledIn(deps, spec, event)) return { ...judged, verdict: 'sampled_out' }
  return judged
}

function policyOf(spec: PlannedSpec, settings: Settings): Policy {
  if (spec.validationMode === 'warn') return 'allow'
  return spec.validationMode === 'strict' && settings.relayValidation === 'allow' ? 'quarantine' : settings.relayValidation
}

function applyPolicy(policy: Policy, violations: Violation[]): Pick<Judgement, 'verdict' | 'violations'> {
  if (violations.length === 0 || policy === 'allow') return { verdict: 'accepted', violations }
  return { verdict: policy === 'block' ? 'blocked' : 'quarantined', violations }
}

function unplanned(source: Source, event: CanonicalEvent): Violation {
  const name = event.event_name ?? event.name
  const what = name === undefined ? `${event.type} calls` : `"${name.slice(0, 100)}" (${event.type})`
  return { rule: 'unplanned', path: '', message: `no event spec of source "${source.name}" describes ${what}; publish one or correct the name` }
}

function unknownVersion(candidate: string, version: string): Violation {
  return { rule: 'unknown_version', path: '/event_version', message: `${candidate} has no version ${version}; send one that is published, or leave event_version out` }
}

function deleted(spec: PlannedSpec): Violation {
  return { rule: 'deleted_spec', path: '', message: `${spec.id} is deleted; send a version that is in force` }
}
