import { isDeepStrictEqual } from 'node:util'
import { SignalbookError, conflict, invalid, notFound } from '../error.ts'
import { change } from '../store/change.ts'
import { actorLabel } from '../store/actor.ts'
import type { Actor } from '../store/actor.ts'
import type { AuditFact } from '../store/audit-entries.ts'
import type { ChangeContext } from '../store/change.ts'
import { findSpec, updateSpec, versionsOf } from '../store/event-specs.ts'
import type { StoredSpec } from '../store/event-specs.ts'
import { refreshLatest } from './latest.ts'
import type { SpecChangeDeps } from './announcement.ts'
import { assertDeprecation, deprecationOf, withStatus } from './deprecation.ts'
import type { Deprecation } from './deprecation.ts'
import { diffSpecs } from './diff/diff.ts'
import type { EventSpec, EventStatus } from './event-spec.ts'
import { publishedSpec } from './published-spec.ts'
import { requireVersion } from './require-version.ts'
import { assertVersion } from './version.ts'

/** Where a status may go. Nothing is ever erased, and what was in force never becomes a draft again. */
const STEPS: Record<EventStatus, { to: EventStatus; adminWithReason?: true }[]> = {
  draft: [{ to: 'active' }],
  active: [{ to: 'deprecated' }],
  deprecated: [{ to: 'active' }, { to: 'deleted' }],
  deleted: [
    { to: 'deprecated', adminWithReason: true },
    { to: 'active', adminWithReason: true },
  ],
}

export interface StatusChange extends Deprecation {
  status: EventStatus
  reason?: string | undefined
  dryRun?: boolean
}

/**
 * Changes the status of one version.
 * @throws SignalbookError `not_found`, `conflict` for a step that does not exist, `forbidden` where an admin is needed
 */
export async function changeStatus(
  deps: SpecChangeDeps,
  actor: Actor,
  input: { namespace: string; name: string; version: string } & StatusChange,
): Promise<StoredSpec> {
  assertVersion(input.version, 'version')
  return change(deps, actor, async (context) => {
    const existing = await findSpec(context.tx, input.namespace, input.name, input.version)
    if (!existing) throw notFound(`${input.namespace}/${input.name} has no version ${input.version}`)
    const { stored, facts } = await setStatus(deps, actor, context, existing, input)
    return { result: stored, facts }
  })
}

/** The status change inside a transaction that is open already. What is in force already changes nothing. */
export async function setStatus(
  deps: SpecChangeDeps,
  actor: Actor,
  context: ChangeContext,
  existing: StoredSpec,
  wanted: StatusChange,
): Promise<{ stored: StoredSpec; facts: AuditFact[] }> {
  const { spec } = existing
  assertDeprecation(wanted, wanted.status)
  const after = withStatus(spec, wanted.status, wanted)
  if (isDeepStrictEqual(after, spec)) return { stored: existing, facts: [] }
  if (spec.status !== wanted.status) assertStep(actor, spec.status, wanted)
  // What was a warning for a draft is a refusal now that it comes into force.
  if (spec.status === 'draft') requireVersion(deps, after, (await versionsOf(context.tx, spec.namespace, spec.name)).map((other) => other.spec))
  const stored: StoredSpec = { ...existing, spec: after, updatedAt: context.at }
  if (wanted.dryRun) return { stored, facts: [] }
  await updateSpec(context.tx, existing.id, after, context.at, context.revision)
  await refreshLatest(context.tx, after)
  await deps.announce(context.tx, {
    type: 'event.status_changed',
    at: context.at,
    publishedBy: actorLabel(actor),
    event: publishedSpec(stored),
    previousVersion: undefined,
    changes: diffSpecs(spec, after),
  })
  const fact: AuditFact = {
    action: 'status_changed',
    entity: 'event',
    entityId: `${spec.namespace}/${spec.name}@${spec.version}`,
    before: lifecycleView(spec),
    after: lifecycleView(after),
    ...(wanted.reason === undefined ? {} : { reason: wanted.reason }),
  }
  return { stored, facts: [fact] }
}

function lifecycleView(spec: EventSpec): Record<string, unknown> {
  const { sunset, replacedBy } = deprecationOf(spec)
  return { status: spec.status, ...(sunset === undefined ? {} : { sunset }), ...(replacedBy === undefined ? {} : { replaced_by: replacedBy }) }
}

function assertStep(actor: Actor, from: EventStatus, wanted: StatusChange): void {
  const step = STEPS[from].find(({ to }) => to === wanted.status)
  if (!step) {
    throw conflict(`a ${from} version cannot become ${wanted.status}; from ${from} it can become ${STEPS[from].map(({ to }) => to).join(' or ')}`)
  }
  if (!step.adminWithReason) return
  if (actor.role !== 'admin') throw new SignalbookError('forbidden', `bringing back a deleted version needs a key with the role admin; this key has the role ${actor.role}`)
  if (!wanted.reason) throw invalid('bringing back a deleted version needs a reason; send {"status": "...", "reason": "..."} to PUT .../status')
}
