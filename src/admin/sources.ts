import { conflict, invalid, notFound } from '../error.ts'
import { explainBadGlob } from '../registry/glob.ts'
import { isVersion } from '../registry/version.ts'
import { change } from '../store/change.ts'
import type { Actor } from '../store/actor.ts'
import type { ChangeDeps } from '../store/change.ts'
import type { Executor } from '../store/db.ts'
import { listDestinations } from '../store/destinations.ts'
import { deleteSource, findSource, insertSource, updateSource } from '../store/sources.ts'
import type { Source } from '../store/sources.ts'
import { assertName } from './names.ts'

/** The fields of a source that its admin chooses. */
export type SourceFields = Pick<Source, 'name' | 'platform' | 'language' | 'events' | 'destinations' | 'versionPinning'>

export interface StoredSource {
  source: Omit<Source, 'id'>
  /** Sentences about what is allowed but perhaps not meant, such as a destination that is not registered yet. */
  warnings: string[]
}

/** Registers a source. @throws SignalbookError `conflict` when the name is taken, `invalid_request` for bad fields */
export async function createSource(deps: ChangeDeps, actor: Actor, fields: SourceFields): Promise<StoredSource> {
  checkFields(fields)
  return change(deps, actor, async ({ tx, at }) => {
    if (await findSource(tx, fields.name)) throw conflict(`a source named "${fields.name}" exists already; change it with PUT /v1/admin/sources/${fields.name}`)
    const source = { ...fields, createdAt: at, updatedAt: at }
    await insertSource(tx, source)
    return {
      result: { source, warnings: await missingDestinations(tx, source) },
      facts: [{ action: 'created', entity: 'source', entityId: source.name, after: auditView(source) }],
    }
  })
}

/** Replaces every field of a source. @throws SignalbookError `not_found`, `invalid_request` */
export async function replaceSource(deps: ChangeDeps, actor: Actor, name: string, fields: SourceFields): Promise<StoredSource> {
  if (fields.name !== name) throw invalid(`name in the body is "${fields.name}" but the path says "${name}"; they must be equal, since a source cannot be renamed`)
  checkFields(fields)
  return change(deps, actor, async ({ tx, at }) => {
    const before = await requireSource(tx, name)
    const source = { ...fields, createdAt: before.createdAt, updatedAt: at }
    await updateSource(tx, source)
    return {
      result: { source, warnings: await missingDestinations(tx, source) },
      facts: [{ action: 'updated', entity: 'source', entityId: name, before: auditView(before), after: auditView(source) }],
    }
  })
}

/** Removes a source; events that it sent before are still delivered. @throws SignalbookError `not_found` */
export async function removeSource(deps: ChangeDeps, actor: Actor, name: string): Promise<void> {
  await change(deps, actor, async ({ tx }) => {
    const before = await requireSource(tx, name)
    await deleteSource(tx, name)
    return { result: undefined, facts: [{ action: 'deleted', entity: 'source', entityId: name, before: auditView(before) }] }
  })
}

/** One source. @throws SignalbookError `not_found` */
export async function requireSource(db: Executor, name: string): Promise<Source> {
  const source = await findSource(db, name)
  if (!source) throw notFound(`there is no source named "${name}"; GET /v1/admin/sources lists them`)
  return source
}

/** What the audit log shows of a source. */
export function auditView(source: SourceFields): Record<string, unknown> {
  const { name, platform, language, events, destinations, versionPinning } = source
  return { name, platform, language, events, destinations, version_pinning: versionPinning }
}

function checkFields(fields: SourceFields): void {
  assertName(fields.name, 'name')
  fields.destinations.forEach((destination, index) => assertName(destination, `destinations[${index}]`))
  fields.events.forEach((glob, index) => {
    const fault = explainBadGlob(glob)
    if (fault) throw invalid(`events[${index}] is not a pattern over namespace/name: ${fault}`)
  })
  for (const [event, version] of Object.entries(fields.versionPinning)) {
    if (!/^[^/]+\/[^/]+$/.test(event)) throw invalid(`version_pinning has the key "${event.slice(0, 200)}"; its keys are namespace/name`)
    if (!isVersion(version)) throw invalid(`version_pinning["${event}"] must be a version MAJOR-MINOR-PATCH such as 1-0-2; got "${String(version).slice(0, 40)}"`)
  }
}

async function missingDestinations(db: Executor, source: SourceFields): Promise<string[]> {
  const registered = new Set((await listDestinations(db)).map((destination) => destination.name))
  return source.destinations
    .filter((name) => !registered.has(name))
    .map((name) => `destination "${name}" is not registered yet; events reach it from the moment it is created with POST /v1/admin/destinations`)
}
