import { isDeepStrictEqual } from 'node:util'
import { withStatus } from './deprecation.ts'
import type { Change, ChangeKind, EventSpec, UnversionedSpec } from './event-spec.ts'
import type { SpecWarning } from './spec-warnings.ts'
import { bump, compareVersions, declaredKind, parseVersion } from './version.ts'

/** The setting `version_policy`: too small a step is refused, remarked upon, or nobody's business. */
export type VersionPolicy = 'enforce' | 'warn' | 'off'

export interface VersionQuestion {
  candidate: UnversionedSpec
  /** All stored versions of the same event, in any order. */
  existing: readonly EventSpec[]
  policy: VersionPolicy
  diff: (from: EventSpec, to: EventSpec) => Change[]
}

export interface VersionDecision {
  version: string
  /** The nearest lower version, the one that `changes` are counted from. */
  previousVersion: string | undefined
  changes: Change[]
  warnings: SpecWarning[]
  /** Set when the publication has to be refused. */
  conflict?: VersionConflict
}

export interface VersionConflict {
  message: string
  suggestedVersion: string
  /** Those that make the step too small. */
  changes: Change[]
}

const FIRST_VERSION = '1-0-0'
const SEVERITY: Record<ChangeKind, number> = { PATCH: 1, MINOR: 2, MAJOR: 3 }

/**
 * Decides the version under which a spec may be published (design/diff-rules.md, "Version check").
 *
 * Neighbours are the stored versions apart from drafts, which were never in force; deleted versions stay neighbours, since
 * events and code from their time are still about. What is stored under the version itself is not judged again: whether it may
 * be overwritten is the publication's question. A draft is only remarked upon.
 */
export function decideVersion(question: VersionQuestion): VersionDecision {
  const { candidate, policy, diff } = question
  const history = question.existing.filter(({ status }) => status !== 'draft').sort((one, other) => compareVersions(one.version, other.version))
  const spec: EventSpec = { ...candidate, version: candidate.version ?? computedVersion(candidate, history, diff) }
  const lower = history.findLast(({ version }) => compareVersions(version, spec.version) < 0)
  const decision: VersionDecision = {
    version: spec.version,
    previousVersion: lower?.version,
    changes: lower ? diff(lower, spec) : [],
    warnings: [],
  }
  const isStored = history.some(({ version }) => version === spec.version)
  if (policy === 'off' || isStored || candidate.version === undefined) return decision

  const conflict = findConflict(spec, history, diff)
  if (!conflict) return { ...decision, warnings: lower ? overBumpWarnings(spec, lower, decision.changes) : [] }
  if (policy === 'enforce' && candidate.status !== 'draft') return { ...decision, conflict }
  return { ...decision, warnings: [{ rule: 'version.under-bumped', message: `${conflict.message}; the version rule asks for ${conflict.suggestedVersion}`, path: '/version' }] }
}

/** The highest version raised by the most severe change since; that version itself when the content is the same. */
function computedVersion(candidate: UnversionedSpec, history: EventSpec[], diff: VersionQuestion['diff']): string {
  const highest = history.at(-1)
  if (!highest) return FIRST_VERSION
  if (isAgain(candidate, highest)) return highest.version
  const changes = diff(highest, { ...candidate, version: highest.version })
  return bump(highest.version, mostSevere(forcing(changes, candidate)) ?? 'PATCH')
}

/** Whether the highest version is sent once more, perhaps with another status. What was deleted is not brought back by accident. */
function isAgain(candidate: UnversionedSpec, highest: EventSpec): boolean {
  if (candidate.status !== highest.status && (candidate.status === 'draft' || highest.status === 'deleted')) return false
  return isDeepStrictEqual(withStatus({ ...candidate, version: highest.version }, highest.status), withStatus(highest, highest.status))
}

function findConflict(spec: EventSpec, history: EventSpec[], diff: VersionQuestion['diff']): VersionConflict | undefined {
  const fault = findFault(spec, history, diff)
  if (!fault) return undefined
  const line = history.filter(({ version }) => parseVersion(version)[0] === parseVersion(spec.version)[0])
  const suggestions = [...(fault.lower ? [bump(fault.lower.version, fault.need)] : []), computedVersion(spec, line, diff)]
  const isFree = (version: string): boolean =>
    !history.some((stored) => stored.version === version) && !findFault({ ...spec, version }, history, diff)
  const suggestedVersion = suggestions.find(isFree) ?? computedVersion(spec, history, diff)
  return { message: `${fault.message}; publish it as ${suggestedVersion}`, suggestedVersion, changes: fault.changes }
}

interface Fault {
  message: string
  changes: Change[]
  need: ChangeKind
  /** The version to count the suggestion from; none when only a version after all others will do. */
  lower?: EventSpec
}

/** The step from the nearest lower version must be large enough, and so must the step to the next higher one; a MAJOR step always is. */
function findFault(spec: EventSpec, history: EventSpec[], diff: VersionQuestion['diff']): Fault | undefined {
  const lower = history.findLast(({ version }) => compareVersions(version, spec.version) < 0)
  const below = lower && tooSmallAStep(lower, spec, forcing(diff(lower, spec), spec))
  if (lower && below) {
    const message = `${spec.version} is a ${declaredKind(lower.version, spec.version)} step from ${lower.version}, but ${inWords(below.changes)} a ${below.need} step`
    return { ...below, message, lower }
  }
  const higher = history.find(({ version }) => compareVersions(version, spec.version) > 0)
  if (!higher) return undefined
  // How far the higher version was deprecated since says nothing about the step that it declared.
  const above = tooSmallAStep(spec, higher, diff(spec, higher).filter(({ field }) => field !== 'status'))
  if (!above) return undefined
  const message = `${higher.version} is already published as a ${declaredKind(spec.version, higher.version)} step after ${spec.version}, but ${inWords(above.changes)} a ${above.need} step`
  return { ...above, message }
}

function tooSmallAStep(lower: EventSpec, higher: EventSpec, changes: Change[]): { changes: Change[]; need: ChangeKind } | undefined {
  const declared = declaredKind(lower.version, higher.version)
  const need = mostSevere(changes)
  if (need === undefined || SEVERITY[need] <= SEVERITY[declared]) return undefined
  return { need, changes: changes.filter(({ kind }) => SEVERITY[kind] > SEVERITY[declared]) }
}

/** A spec that comes to be deprecated or deleted is a change; that an older version was deprecated meanwhile forces nothing. */
function forcing(changes: Change[], spec: Pick<EventSpec, 'status'>): Change[] {
  const isSteppingDown = spec.status === 'deprecated' || spec.status === 'deleted'
  return isSteppingDown ? changes : changes.filter(({ field }) => field !== 'status')
}

function mostSevere(changes: Change[]): ChangeKind | undefined {
  return (['MAJOR', 'MINOR', 'PATCH'] as const).find((kind) => changes.some((change) => change.kind === kind))
}

function overBumpWarnings(spec: EventSpec, lower: EventSpec, changes: Change[]): SpecWarning[] {
  const declared = declaredKind(lower.version, spec.version)
  const need = mostSevere(changes)
  if (need && SEVERITY[declared] <= SEVERITY[need]) return []
  const enough = need ? `the changes ask for a ${need} step only, ${bump(lower.version, need)}` : 'nothing changed'
  return [{ rule: 'version.over-bumped', message: `${spec.version} is a ${declared} step from ${lower.version}, while ${enough}`, path: '/version' }]
}

function inWords(changes: Change[]): string {
  const first = changes.slice(0, 3).map(({ description }) => `"${description}"`).join(', ')
  const rest = changes.length - 3
  return `${first}${rest > 0 ? ` and ${rest} more` : ''} ${changes.length === 1 ? 'asks' : 'ask'} for`
}
