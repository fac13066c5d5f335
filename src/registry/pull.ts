import { createHash } from 'node:crypto'
import type { Executor } from '../store/db.ts'
import { listSpecs } from '../store/event-specs.ts'
import type { StoredSpec } from '../store/event-specs.ts'
import type { Source } from '../store/sources.ts'
import { compileGlobs } from './glob.ts'
import { latestOf } from './version.ts'

/** The specs in force for one source, as one picture. */
export interface Bundle {
  /** A strong entity tag, quotes included; it changes exactly with the content. */
  etag: string
  specs: StoredSpec[]
}

/** Gathers the pinned or else the latest version of each event that a source's globs allow, sorted by namespace and name. */
export async function pullBundle(db: Executor, source: Source): Promise<Bundle> {
  const allowed = compileGlobs(source.events)
  // One query, so one consistent picture.
  const byEvent = Map.groupBy(await listSpecs(db), ({ spec }) => `${spec.namespace}/${spec.name}`)
  const specs = [...byEvent].flatMap(([event, versions]) => {
    const [first] = versions as [StoredSpec]
    if (!allowed(first.spec.namespace, first.spec.name)) return []
    const chosen = inForce(versions, source.versionPinning[event])
    return chosen ? [chosen] : []
  })
  return { etag: etagOf(source.name, specs), specs }
}

function inForce(versions: StoredSpec[], pinned: string | undefined): StoredSpec | undefined {
  const pin = versions.find(({ spec }) => spec.version === pinned && (spec.status === 'active' || spec.status === 'deprecated'))
  return pin ?? latestOf(versions.map((stored) => ({ version: stored.spec.version, status: stored.spec.status, stored })))?.stored
}

function etagOf(source: string, specs: StoredSpec[]): string {
  const hash = createHash('sha256').update(source)
  for (const { spec, publishedAt, publishedBy, updatedAt } of specs) hash.update(JSON.stringify([spec, publishedAt, publishedBy ?? null, updatedAt]))
  return `"${hash.digest('base64url').slice(0, 32)}"`
}
