import { notFound } from '../error.ts'
import type { Executor } from '../store/db.ts'
import { findLatestSpec, findSpec, listSpecs, versionsOf } from '../store/event-specs.ts'
import type { SpecFilter, SpecPlace, StoredSpec } from '../store/event-specs.ts'
import type { Change } from './event-spec.ts'
import { diffSpecs } from './diff/diff.ts'
import { assertVersion } from './version.ts'

export interface SpecSearch extends Omit<SpecFilter, 'words'> {
  /** Every word must occur in the event's names, descriptions, tags or property names; case does not matter. */
  q?: string | undefined
}

/** Versions that match, sorted by namespace, name and version, the newest version first. */
export async function searchSpecs(db: Executor, search: SpecSearch, page: { after?: SpecPlace | undefined; limit?: number | undefined }): Promise<StoredSpec[]> {
  return listSpecs(db, { ...search, words: search.q?.split(/\s+/).filter((word) => word !== '') }, page)
}

/** The highest active version, else the highest deprecated one. @throws SignalbookError `not_found` */
export async function latestSpec(db: Executor, namespace: string, name: string): Promise<StoredSpec> {
  const latest = await findLatestSpec(db, namespace, name)
  if (latest) return latest
  const versions = await versionsOf(db, namespace, name)
  throw notFound(
    versions.length === 0
      ? `there is no event spec ${namespace}/${name}; GET /v1/events lists them`
      : `${namespace}/${name} has no active or deprecated version; name one of its versions: ${versions.map(({ spec }) => spec.version).slice(0, 10).join(', ')}`,
  )
}

/** One version, deleted ones and drafts included. @throws SignalbookError `not_found`, `invalid_request` for a malformed version */
export async function specVersion(db: Executor, namespace: string, name: string, version: string): Promise<StoredSpec> {
  assertVersion(version, 'version')
  const stored = await findSpec(db, namespace, name, version)
  if (!stored) throw notFound(`${namespace}/${name} has no version ${version}; GET /v1/events?namespace=${namespace} lists its versions`)
  return stored
}

/** What changed between two versions, in either direction. @throws SignalbookError `not_found`, `invalid_request` */
export async function diffVersions(db: Executor, event: { namespace: string; name: string; from: string; to: string }): Promise<Change[]> {
  assertVersion(event.from, 'from')
  assertVersion(event.to, 'to')
  const from = await specVersion(db, event.namespace, event.name, event.from)
  const to = await specVersion(db, event.namespace, event.name, event.to)
  return diffSpecs(from.spec, to.spec)
}

/** One version, and how far it is from the next lower one. */
export interface VersionStep {
  stored: StoredSpec
  previousVersion: string | undefined
  changes: Change[]
}

/** All versions of an event, the newest first, with the changes between neighbours. @throws SignalbookError `not_found` */
export async function versionHistory(db: Executor, namespace: string, name: string): Promise<VersionStep[]> {
  const versions = await versionsOf(db, namespace, name)
  if (versions.length === 0) throw notFound(`there is no event spec ${namespace}/${name}; GET /v1/events lists them`)
  return versions.map((stored, index) => {
    const previous = versions[index + 1]
    // Only the kinds are shown: no witness needs to be looked for.
    const changes = previous ? diffSpecs(previous.spec, stored.spec, { witness: false }) : []
    return { stored, previousVersion: previous?.spec.version, changes }
  })
}
