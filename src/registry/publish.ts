import { isDeepStrictEqual } from 'node:util'
import { conflict, invalid } from '../error.ts'
import { change } from '../store/change.ts'
import { actorLabel } from '../store/actor.ts'
import type { Actor } from '../store/actor.ts'
import type { AuditFact } from '../store/audit-entries.ts'
import type { ChangeContext } from '../store/change.ts'
import { insertSpec, updateSpec, versionsOf } from '../store/event-specs.ts'
import type { StoredSpec } from '../store/event-specs.ts'
import type { SpecChangeDeps } from './announcement.ts'
import { checkSpec } from './check-spec.ts'
import { refreshLatest } from './latest.ts'
import { assertDeprecation, deprecationOf, withStatus } from './deprecation.ts'
import { diffSpecs } from './diff/diff.ts'
import { assertEarlierExamples } from './earlier-examples.ts'
import type { Change, EventSpec } from './event-spec.ts'
import { setStatus } from './lifecycle.ts'
import { publishedSpec } from './published-spec.ts'
import { requireVersion } from './require-version.ts'
import { specWarnings } from './spec-warnings.ts'
import type { SpecWarning } from './spec-warnings.ts'

export interface PublishDeps extends SpecChangeDeps {
  lintPolicy: 'warn' | 'error'
}

/** The answer to a publication. */
export interface Published {
  stored: StoredSpec
  previousVersion: string | undefined
  changes: Change[]
  warnings: SpecWarning[]
}

/**
 * Publishes a version of an event spec, or does everything but the write when `dryRun` is set.
 *
 * The same content again changes nothing; a version that differs only in a status that it names is a status change; a draft may
 * be overwritten; any other content under a published version is refused.
 * @throws SignalbookError `invalid_request` naming each fault, `conflict` for an immutable version or too small a step
 */
export async function publishSpec(deps: PublishDeps, actor: Actor, input: { document: Record<string, unknown>; dryRun: boolean }): Promise<Published> {
  const candidate = checkSpec(input.document)
  assertDeprecation(deprecationOf(candidate), candidate.status)
  // A file that says nothing of the status must not bring back what was deprecated since.
  const republished = { dryRun: input.dryRun, isStatusSent: (input.document['status'] ?? undefined) !== undefined }
  return change(deps, actor, async (context) => {
    const versions = await versionsOf(context.tx, candidate.namespace, candidate.name)
    const find = (version: string | undefined) => versions.find((stored) => stored.spec.version === version)
    const named = find(candidate.version)
    if (named && named.spec.status !== 'draft') return republish(deps, actor, context, named, { ...candidate, version: named.spec.version }, republished)

    const decision = requireVersion(deps, candidate, versions.map((stored) => stored.spec))
    // The version stands behind the names in every answer, also when it was computed.
    const { namespace, name, version: _sent, ...rest } = candidate
    const spec = { namespace, name, version: decision.version, ...rest } as EventSpec
    const existing = find(spec.version)
    if (existing && existing.spec.status !== 'draft') return republish(deps, actor, context, existing, spec, republished)

    if (deps.lintPolicy === 'error') refuseWarnings(specWarnings(spec))
    assertEarlierExamples(spec, versions.map((stored) => stored.spec))
    const published = { previousVersion: decision.previousVersion, changes: decision.changes, warnings: [...decision.warnings, ...specWarnings(spec)] }
    if (existing && isDeepStrictEqual(existing.spec, spec)) return { result: { ...published, stored: existing }, facts: [] }
    const stored: StoredSpec = {
      id: existing?.id ?? 0,
      spec,
      publishedAt: existing?.publishedAt ?? context.at,
      publishedBy: existing ? existing.publishedBy : actorLabel(actor),
      updatedAt: context.at,
    }
    if (input.dryRun) return { result: { ...published, stored }, facts: [] }
    if (existing) await updateSpec(context.tx, existing.id, spec, context.at, context.revision)
    else await insertSpec(context.tx, stored, context.revision)
    await refreshLatest(context.tx, spec)
    await deps.announce(context.tx, { type: 'event.published', at: context.at, publishedBy: actorLabel(actor), event: publishedSpec(stored), previousVersion: published.previousVersion, changes: published.changes })
    return { result: { ...published, stored }, facts: [publicationFact(existing, spec)] }
  })
}

/** The same version again: nothing for the same content, a status change if only that was sent otherwise, else a refusal. */
async function republish(
  deps: PublishDeps,
  actor: Actor,
  context: ChangeContext,
  existing: StoredSpec,
  candidate: EventSpec,
  { dryRun, isStatusSent }: { dryRun: boolean; isStatusSent: boolean },
): Promise<{ result: Published; facts: AuditFact[] }> {
  const spec = isStatusSent ? candidate : withStatus(candidate, existing.spec.status, deprecationOf(existing.spec))
  const changes = diffSpecs(existing.spec, spec)
  if (!isDeepStrictEqual(withStatus(existing.spec, spec.status), withStatus(spec, spec.status))) {
    throw conflict(
      `${spec.namespace}/${spec.name}@${spec.version} is published and cannot change; publish the new content under another version, or leave the version out to have it computed`,
      { changes },
    )
  }
  const { stored, facts } = await setStatus(deps, actor, context, existing, { ...deprecationOf(spec), status: spec.status, dryRun })
  return { result: { stored, previousVersion: undefined, changes, warnings: specWarnings(spec) }, facts }
}

/** Under the setting `lint_policy` = `error`, what would be a warning keeps a version from being published. */
function refuseWarnings(warnings: SpecWarning[]): void {
  const [first] = warnings
  if (!first) return
  throw invalid(
    `${first.message} (rule ${first.rule}; lint_policy is "error")`,
    warnings.map(({ path, rule, message }) => ({ path, message: `${rule}: ${message}` })),
  )
}

function publicationFact(existing: StoredSpec | undefined, spec: EventSpec): AuditFact {
  return {
    action: existing ? 'overwritten' : 'published',
    entity: 'event',
    entityId: `${spec.namespace}/${spec.name}@${spec.version}`,
    ...(existing ? { before: existing.spec } : {}),
    after: spec,
  }
}
