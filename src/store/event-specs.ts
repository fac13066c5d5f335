import type { EventSpec, EventStatus, CallType } from '../registry/event-spec.ts'
import type { Knex } from 'knex'
import type { Executor } from './db.ts'

const TABLE = 'event_specs'

/** A published version with what the registry adds to its document. */
export interface StoredSpec {
  id: number
  spec: EventSpec
  publishedAt: number
  publishedBy: string | undefined
  updatedAt: number
}

/** The part of a version that finding it needs, without its document. */
export interface SpecHead {
  id: number
  namespace: string
  name: string
  version: string
  status: EventStatus
  type: CallType
  eventName: string
  /** Of the last change to the version. */
  revision: number
}

/** Conditions that must all hold. */
export interface SpecFilter {
  namespace?: string | undefined
  status?: EventStatus | undefined
  type?: CallType | undefined
  owner?: string | undefined
  tag?: string | undefined
  /** Each must occur in the names, descriptions, tags or property names; case does not matter. */
  words?: string[] | undefined
  /** Only the version of each event that is meant when none is named. */
  latest?: boolean | undefined
}

/** A place in the order of the list: namespace, name, and versions downwards. */
export interface SpecPlace {
  namespace: string
  name: string
  version: string
}

interface SpecRow {
  id: number
  namespace: string
  name: string
  major: number
  minor: number
  patch: number
  status: EventStatus
  type: CallType
  event_name: string
  is_latest: boolean
  owner: string | null
  tags: string
  search_text: string
  document: string
  published_at: number
  published_by: string | null
  updated_at: number
  revision: number
}

const HEAD_COLUMNS = ['id', 'namespace', 'name', 'major', 'minor', 'patch', 'status', 'type', 'event_name', 'revision'] as const

/** Versions that match, sorted by namespace, name and version, the newest version first. @param page `after` is the last one of the page before */
export async function listSpecs(db: Executor, filter: SpecFilter = {}, page: { after?: SpecPlace | undefined; limit?: number | undefined } = {}): Promise<StoredSpec[]> {
  // An event has one latest version: its index is the order then, and MariaDB need not sort all of them for each page.
  const query = db<SpecRow>(TABLE).orderBy([{ column: 'namespace' }, { column: 'name' }, ...(filter.latest ? [] : newestFirst)])
  const { namespace, status, type, owner } = filter
  for (const [column, value] of Object.entries({ namespace, status, type, owner })) if (value !== undefined) void query.where(column, value)
  if (filter.latest) void query.where('is_latest', true)
  if (filter.tag !== undefined) void whereContains(query, 'tags', JSON.stringify(filter.tag))
  for (const word of filter.words ?? []) void whereContains(query, 'search_text', word.toLowerCase())
  if (page.after) void whereAfter(query, page.after)
  if (page.limit !== undefined) void query.limit(page.limit)
  return (await query).map(toSpec)
}

/** The version that is meant when none is named, `undefined` when none is in force. */
export async function findLatestSpec(db: Executor, namespace: string, name: string): Promise<StoredSpec | undefined> {
  const row = await db<SpecRow>(TABLE).where({ namespace, name, is_latest: true }).first()
  return row && toSpec(row)
}

/** Names the version that is meant when none is named. @param id `undefined` when none is in force */
export async function markLatestSpec(db: Executor, event: { namespace: string; name: string }, id: number | undefined): Promise<void> {
  await db(TABLE).where({ namespace: event.namespace, name: event.name, is_latest: true }).update({ is_latest: false })
  if (id !== undefined) await db(TABLE).where({ id }).update({ is_latest: true })
}

/** All versions of one event, the newest version first. */
export async function versionsOf(db: Executor, namespace: string, name: string): Promise<StoredSpec[]> {
  return ((await db<SpecRow>(TABLE).where({ namespace, name }).orderBy(newestFirst))).map(toSpec)
}

/** One version by its name, `undefined` when it was never published. */
export async function findSpec(db: Executor, namespace: string, name: string, version: string): Promise<StoredSpec | undefined> {
  const row = (await db<SpecRow>(TABLE).where({ namespace, name, ...columnsOf(version) }).first())
  return row && toSpec(row)
}

/** One version by its id. */
export async function specById(db: Executor, id: number): Promise<StoredSpec | undefined> {
  const row = (await db<SpecRow>(TABLE).where({ id }).first())
  return row && toSpec(row)
}

/** Heads of the versions published or changed after a revision: what a snapshot that knows that revision lacks. */
export async function specHeadsSince(db: Executor, revision: number): Promise<SpecHead[]> {
  const rows = await db<SpecRow>(TABLE).where('revision', '>', revision).select(...HEAD_COLUMNS)
  return rows.map((row) => ({
    id: row.id,
    namespace: row.namespace,
    name: row.name,
    version: versionOf(row),
    status: row.status,
    type: row.type,
    eventName: row.event_name,
    revision: row.revision,
  }))
}

export async function insertSpec(db: Executor, stored: Omit<StoredSpec, 'id'>, revision: number): Promise<void> {
  await db(TABLE).insert({
    ...contentColumns(stored.spec),
    published_at: stored.publishedAt,
    published_by: stored.publishedBy ?? null,
    updated_at: stored.updatedAt,
    revision,
  })
}

/** Replaces a version's document: a draft's content, or the status of any version. */
export async function updateSpec(db: Executor, id: number, spec: EventSpec, at: number, revision: number): Promise<void> {
  await db(TABLE).where({ id }).update({ ...contentColumns(spec), updated_at: at, revision })
}

/** LIKE with its wildcards taken literally; "!" escapes on every engine. */
function whereContains(query: Knex.QueryBuilder, column: string, text: string): Knex.QueryBuilder {
  return query.whereRaw(`${column} like ? escape '!'`, [`%${text.replaceAll(/[!%_]/g, '!$&')}%`])
}

function whereAfter(query: Knex.QueryBuilder, after: SpecPlace): Knex.QueryBuilder {
  const { namespace, name } = after
  const { major, minor, patch } = columnsOf(after.version)
  return query.where((later) => {
    void later
      .where('namespace', '>', namespace)
      .orWhere((q) => void q.where({ namespace }).where('name', '>', name))
      .orWhere((q) => void q.where({ namespace, name }).where('major', '<', major))
      .orWhere((q) => void q.where({ namespace, name, major }).where('minor', '<', minor))
      .orWhere((q) => void q.where({ namespace, name, major, minor }).where('patch', '<', patch))
  })
}

/** What a free-text search looks through. */
function searchTextOf(spec: EventSpec): string {
  const { namespace, name, event_name, display_name, description, owner, tags, properties } = spec
  return [namespace, name, event_name, display_name, description, owner, ...(tags ?? []), ...Object.keys(properties ?? {})].filter(Boolean).join('\n').toLowerCase()
}

const newestFirst = ['major', 'minor', 'patch'].map((column) => ({ column, order: 'desc' as const }))

function contentColumns(spec: EventSpec) {
  return {
    namespace: spec.namespace,
    name: spec.name,
    ...columnsOf(spec.version),
    status: spec.status,
    type: spec.type,
    event_name: spec.event_name,
    owner: spec.owner ?? null,
    tags: JSON.stringify(spec.tags ?? []),
    search_text: searchTextOf(spec),
    document: JSON.stringify(spec),
  }
}

function columnsOf(version: string): { major: number; minor: number; patch: number } {
  const [major, minor, patch] = version.split('-').map(Number) as [number, number, number]
  return { major, minor, patch }
}

function versionOf(row: Pick<SpecRow, 'major' | 'minor' | 'patch'>): string {
  return `${row.major}-${row.minor}-${row.patch}`
}

function toSpec(row: SpecRow): StoredSpec {
  return {
    id: row.id,
    spec: JSON.parse(row.document),
    publishedAt: row.published_at,
    publishedBy: row.published_by ?? undefined,
    updatedAt: row.updated_at,
  }
}
