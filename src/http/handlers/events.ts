import type { components } from '../../contract/types.ts'
import { rules } from '../../registry/diff/rules.ts'
import type { ChangeKind } from '../../registry/event-spec.ts'
import { diffVersions, latestSpec, searchSpecs, specVersion, versionHistory } from '../../registry/find.ts'
import type { VersionStep } from '../../registry/find.ts'
import { toJsonSchema } from '../../registry/json-schema.ts'
import { changeStatus } from '../../registry/lifecycle.ts'
import { publishedSpec } from '../../registry/published-spec.ts'
import { publishSpec } from '../../registry/publish.ts'
import type { SpecChangeDeps } from '../../registry/announcement.ts'
import { assertVersion } from '../../registry/version.ts'
import type { ReadMemory } from '../../snapshot/read-memory.ts'
import type { SpecPlace, StoredSpec } from '../../store/event-specs.ts'
import { formatTime } from '../../time.ts'
import type { ImpactDeps } from '../../relay/operate/impact.ts'
import type { HandlersOf } from '../operation.ts'
import { impactOf } from './impact.ts'
import { linkToNext, readCursor } from '../paging.ts'

type EventOperations =
  | 'listEvents'
  | 'publishEvent'
  | 'getLatestEvent'
  | 'getEventVersion'
  | 'getEventSchema'
  | 'listEventVersions'
  | 'setEventStatus'
  | 'diffEvents'
  | 'listRules'

/** Event specs: publication, search, status, diff. */
export function eventHandlers(deps: Omit<SpecChangeDeps, 'versionPolicy'> & ImpactDeps & { memory: ReadMemory }): HandlersOf<EventOperations> {
  return {
    async listEvents({ query, request }) {
      const { limit, cursor, ...search } = query
      const found = await searchSpecs(deps.db.knex, search, {
        after: cursor === undefined ? undefined : readPlace(cursor),
        limit: limit === undefined ? undefined : limit + 1,
      })
      const page = found.slice(0, limit)
      return { status: 200, headers: linkToNext(request.url, found.length > page.length ? keyOf(page.at(-1)) : undefined), body: page.map(specToWire) }
    },

    async publishEvent({ query, body, actor, snapshot }) {
      const dryRun = query.dry_run === true
      const published = await publishSpec({ ...deps, versionPolicy: snapshot.settings.versionPolicy, lintPolicy: snapshot.settings.lintPolicy }, actor, { document: body, dryRun })
      const answer = {
        ...specToWire(published.stored),
        changes: published.changes,
        previous_version: published.previousVersion ?? null,
        warnings: published.warnings,
      }
      if (dryRun) return { status: 200, body: { ...answer, impact: await impactOf(deps, snapshot, published.stored.spec) } }
      const { namespace, name, version } = published.stored.spec
      return { status: 201, headers: { Location: `/v1/events/${namespace}/${name}/${version}` }, body: answer }
    },

    async getLatestEvent({ path: { namespace, name }, snapshot }) {
      const read = async () => specToWire(await latestSpec(deps.db.knex, namespace, name))
      return { status: 200, body: await deps.memory.recall(snapshot, `latest ${namespace}/${name}`, read) }
    },

    async getEventVersion({ path: { namespace, name, version }, snapshot }) {
      const read = async () => specToWire(await specVersion(deps.db.knex, namespace, name, version))
      return { status: 200, body: await deps.memory.recall(snapshot, `version ${namespace}/${name}/${version}`, read) }
    },

    async getEventSchema({ path }) {
      const { spec } = await specVersion(deps.db.knex, path.namespace, path.name, path.version)
      return { status: 200, headers: { 'Content-Type': 'application/schema+json' }, body: toJsonSchema(spec) }
    },

    async listEventVersions({ path }) {
      return { status: 200, body: (await versionHistory(deps.db.knex, path.namespace, path.name)).map(stepToWire) }
    },

    async setEventStatus({ path, body, actor, snapshot }) {
      const stored = await changeStatus({ ...deps, versionPolicy: snapshot.settings.versionPolicy }, actor, { ...path, status: body.status, reason: body.reason, sunset: body.sunset, replacedBy: body.replaced_by })
      return { status: 200, body: specToWire(stored) }
    },

    async diffEvents({ path, snapshot }) {
      // A change works out its proof when it is read, and holds on to both validators until then; only the answer is remembered.
      const read = async () => structuredClone(await diffVersions(deps.db.knex, path))
      return { status: 200, body: await deps.memory.recall(snapshot, `diff ${path.namespace}/${path.name}/${path.from}/${path.to}`, read) }
    },

    async listRules() {
      return { status: 200, body: Object.entries(rules).map(([id, { kind, breaks, meaning, example }]) => ({ id, kinds: [...kind], breaks, meaning, example })) }
    },
  }
}

/** A version as every answer shows it. */
export function specToWire(stored: StoredSpec): components['schemas']['EventSpec'] {
  return publishedSpec(stored) as components['schemas']['EventSpec']
}

function stepToWire({ stored, previousVersion, changes }: VersionStep): components['schemas']['EventVersion'] {
  const count = (kind: ChangeKind) => changes.filter((change) => change.kind === kind).length
  return {
    version: stored.spec.version,
    status: stored.spec.status,
    published_at: formatTime(stored.publishedAt),
    published_by: stored.publishedBy ?? null,
    updated_at: formatTime(stored.updatedAt),
    previous_version: previousVersion ?? null,
    // A diff begins with its most severe change.
    kind: changes[0]?.kind ?? null,
    changes: { MAJOR: count('MAJOR'), MINOR: count('MINOR'), PATCH: count('PATCH') },
  }
}

function keyOf(stored: StoredSpec | undefined): string[] | undefined {
  return stored && [stored.spec.namespace, stored.spec.name, stored.spec.version]
}

function readPlace(cursor: string): SpecPlace {
  const [namespace = '', name = '', version = ''] = readCursor(cursor)
  assertVersion(version, 'cursor')
  return { namespace, name, version }
}
