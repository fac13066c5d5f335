import type { Executor } from './db.ts'
import type { Actor, Role } from './actor.ts'
import type { RevisedEntity } from './revision.ts'

const TABLE = 'audit_entries'

/** What an audit entry says beside who and when. `before` and `after` must come with their secrets masked. */
export interface AuditFact {
  /** A verb in the past tense, such as `created`, `published`, `revoked`. */
  action: string
  entity: RevisedEntity
  entityId: string
  before?: unknown
  after?: unknown
  reason?: string
}

/** One line of the audit log. `before` and `after` are the masked things themselves. */
export interface AuditEntry {
  id: number
  at: number
  action: string
  entity: RevisedEntity
  entityId: string
  user: { id: number | undefined; name: string | undefined; role: Role | undefined }
  ip: string | undefined
  requestId: string | undefined
  before: unknown
  after: unknown
  reason: string | undefined
}

export interface AuditFilter {
  /** Inclusive, epoch milliseconds. */
  since?: number | undefined
  /** Exclusive, epoch milliseconds. */
  until?: number | undefined
  entity?: RevisedEntity | undefined
  /** A key's id or its name. */
  user?: string | undefined
  /** Entries older than this id: the last one of the page before. */
  beforeId?: number | undefined
  limit: number
}

interface AuditRow {
  id: number
  at: number
  action: string
  entity: RevisedEntity
  entity_id: string
  user_id: number | null
  user_name: string | null
  user_role: Role | null
  ip: string | null
  request_id: string | null
  before: string | null
  after: string | null
  reason: string | null
}

/** Writes entries inside the transaction of the change that they tell of. */
export async function insertAuditEntries(db: Executor, actor: Actor, at: number, facts: AuditFact[]): Promise<void> {
  await db(TABLE).insert(
    facts.map((fact) => ({
      at,
      action: fact.action,
      entity: fact.entity,
      entity_id: fact.entityId,
      user_id: actor.keyId ?? null,
      user_name: actor.name ?? null,
      user_role: actor.role ?? null,
      ip: actor.ip ?? null,
      request_id: actor.requestId ?? null,
      before: fact.before === undefined ? null : JSON.stringify(fact.before),
      after: fact.after === undefined ? null : JSON.stringify(fact.after),
      reason: fact.reason ?? null,
    })),
  )
}

/** Reads entries, newest first. */
export async function listAuditEntries(db: Executor, filter: AuditFilter): Promise<AuditEntry[]> {
  const query = db<AuditRow>(TABLE).orderBy('id', 'desc').limit(filter.limit)
  if (filter.since !== undefined) void query.where('at', '>=', filter.since)
  if (filter.until !== undefined) void query.where('at', '<', filter.until)
  if (filter.entity !== undefined) void query.where('entity', filter.entity)
  if (filter.beforeId !== undefined) void query.where('id', '<', filter.beforeId)
  const { user } = filter
  if (user !== undefined) {
    void query.where((either) => {
      void either.where('user_name', user)
      // Compared as a number only when it is one: MySQL would match any text with 0.
      if (/^[1-9][0-9]{0,14}$/.test(user)) void either.orWhere('user_id', Number(user))
    })
  }
  return ((await query)).map(toEntry)
}

/** Deletes entries older than a time, as the setting `audit_retention` wants. @returns how many */
export async function pruneAuditEntries(db: Executor, olderThan: number): Promise<number> {
  return db(TABLE).where('at', '<', olderThan).delete()
}

function toEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    at: row.at,
    action: row.action,
    entity: row.entity,
    entityId: row.entity_id,
    user: { id: row.user_id ?? undefined, name: row.user_name ?? undefined, role: row.user_role ?? undefined },
    ip: row.ip ?? undefined,
    requestId: row.request_id ?? undefined,
    before: row.before === null ? undefined : JSON.parse(row.before),
    after: row.after === null ? undefined : JSON.parse(row.after),
    reason: row.reason ?? undefined,
  }
}
