import { createSource, removeSource, replaceSource, requireSource } from '../../admin/sources.ts'
import type { SourceFields, StoredSource } from '../../admin/sources.ts'
import type { components } from '../../contract/types.ts'
import { notFound } from '../../error.ts'
import { pullBundle } from '../../registry/pull.ts'
import type { ChangeDeps } from '../../store/change.ts'
import type { ReadMemory } from '../../snapshot/read-memory.ts'
import { listSources } from '../../store/sources.ts'
import type { Source } from '../../store/sources.ts'
import { formatTime } from '../../time.ts'
import type { HandlersOf } from '../operation.ts'
import { linkToNext, pageOf } from '../paging.ts'
import { specToWire } from './events.ts'

/** Sources, and the bundle of specs that each works with. */
export function sourceHandlers(
  deps: ChangeDeps & { memory: ReadMemory },
): HandlersOf<'listSources' | 'createSource' | 'getSource' | 'replaceSource' | 'deleteSource' | 'pullSource'> {
  return {
    async listSources({ query, request }) {
      const page = pageOf(await listSources(deps.db.knex), query, (source) => [source.name])
      return { status: 200, headers: linkToNext(request.url, page.next), body: page.items.map(toWire) }
    },

    async createSource({ body, actor }) {
      const stored = await createSource(deps, actor, fieldsOf(body))
      return { status: 201, headers: { Location: `/v1/admin/sources/${stored.source.name}` }, body: storedToWire(stored) }
    },

    async getSource({ path }) {
      return { status: 200, body: toWire(await requireSource(deps.db.knex, path.name)) }
    },

    async replaceSource({ path, body, actor }) {
      return { status: 200, body: storedToWire(await replaceSource(deps, actor, path.name, fieldsOf(body))) }
    },

    async deleteSource({ path, actor }) {
      await removeSource(deps, actor, path.name)
      return { status: 204 }
    },

    async pullSource({ path, header, snapshot }) {
      const source = snapshot.source(path.name)
      if (!source) throw notFound(`there is no source named "${path.name}"; an admin registers it with POST /v1/admin/sources`)
      const body = await deps.memory.recall(snapshot, `pull ${source.name}`, async () => {
        const { etag, specs } = await pullBundle(deps.db.knex, source)
        return { source: source.name, etag, events: specs.map(specToWire) }
      })
      const headers = { ETag: body.etag, 'Cache-Control': 'no-cache' }
      if (matches(header['if-none-match'], body.etag)) return { status: 304, headers }
      return { status: 200, headers, body }
    },
  }
}

/** RFC 9110 section 13.1.2: a list of tags or `*`, compared weakly. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}

function fieldsOf(body: components['schemas']['SourceInput']): SourceFields {
  return {
    name: body.name,
    platform: body.platform ?? '',
    language: body.language ?? '',
    events: body.events ?? [],
    destinations: [...new Set(body.destinations ?? [])],
    versionPinning: (body.version_pinning ?? {}),
  }
}

function toWire(source: Omit<Source, 'id'>): components['schemas']['Source'] {
  return {
    name: source.name,
    platform: source.platform,
    language: source.language,
    events: source.events,
    destinations: source.destinations,
    version_pinning: source.versionPinning,
    created_at: formatTime(source.createdAt),
    updated_at: formatTime(source.updatedAt),
  }
}

function storedToWire({ source, warnings }: StoredSource): components['schemas']['SourceStored'] {
  return { ...toWire(source), warnings }
}
