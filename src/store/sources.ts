import type { Executor } from './db.ts'

const TABLE = 'sources'

/** An application that sends events. */
export interface Source {
  id: number
  name: string
  platform: string
  language: string
  /** Globs over `namespace/name`; empty means all. */
  events: string[]
  /** Names of destinations, registered or not yet. */
  destinations: string[]
  /** `namespace/name` → version */
  versionPinning: Record<string, string>
  createdAt: number
  updatedAt: number
}

interface SourceRow {
  id: number
  name: string
  platform: string
  language: string
  events: string
  destinations: string
  version_pinning: string
  created_at: number
  updated_at: number
}

/** All sources, by name. */
export async function listSources(db: Executor): Promise<Source[]> {
  return ((await db<SourceRow>(TABLE).orderBy('name'))).map(toSource)
}

/** One source, `undefined` when there is none of that name. */
export async function findSource(db: Executor, name: string): Promise<Source | undefined> {
  const row = (await db<SourceRow>(TABLE).where('name', name).first())
  return row && toSource(row)
}

export async function insertSource(db: Executor, source: Omit<Source, 'id'>): Promise<void> {
  await db(TABLE).insert(toRow(source))
}

export async function updateSource(db: Executor, source: Omit<Source, 'id'>): Promise<void> {
  await db(TABLE).where('name', source.name).update(toRow(source))
}

export async function deleteSource(db: Executor, name: string): Promise<void> {
  await db(TABLE).where('name', name).delete()
}

function toRow(source: Omit<Source, 'id'>): Omit<SourceRow, 'id'> {
  return {
    name: source.name,
    platform: source.platform,
    language: source.language,
    events: JSON.stringify(source.events),
    destinations: JSON.stringify(source.destinations),
    version_pinning: JSON.stringify(source.versionPinning),
    created_at: source.createdAt,
    updated_at: source.updatedAt,
  }
}

function toSource(row: SourceRow): Source {
  return {
    id: row.id,
    name: row.name,
    platform: row.platform,
    language: row.language,
    events: JSON.parse(row.events),
    destinations: JSON.parse(row.destinations),
    versionPinning: JSON.parse(row.version_pinning),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
