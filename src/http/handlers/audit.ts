import type { components } from '../../contract/types.ts'
import { listAuditEntries } from '../../store/audit-entries.ts'
import type { AuditEntry } from '../../store/audit-entries.ts'
import type { ChangeDeps } from '../../store/change.ts'
import { formatTime, parseTime } from '../../time.ts'
import type { HandlersOf } from '../operation.ts'
import { linkToNext, readIdCursor } from '../paging.ts'

const DEFAULT_LIMIT = 50

/** The audit log, newest first. */
export function auditHandlers(deps: ChangeDeps): HandlersOf<'listAudit'> {
  return {
    async listAudit({ query, request }) {
      const limit = query.limit ?? DEFAULT_LIMIT
      const found = await listAuditEntries(deps.db.knex, {
        since: query.since === undefined ? undefined : parseTime(query.since, 'since'),
        until: query.until === undefined ? undefined : parseTime(query.until, 'until'),
        entity: query.entity,
        user: query.user,
        beforeId: query.cursor === undefined ? undefined : readIdCursor(query.cursor),
        limit: limit + 1,
      })
      const entries = found.slice(0, limit)
      return {
        status: 200,
        headers: linkToNext(request.url, found.length > entries.length ? [String(entries.at(-1)?.id)] : undefined),
        body: entries.map(toWire),
      }
    },
  }
}

function toWire(entry: AuditEntry): components['schemas']['AuditEntry'] {
  return {
    id: entry.id,
    timestamp: formatTime(entry.at),
    action: entry.action,
    entity: entry.entity,
    entity_id: entry.entityId,
    user: { id: entry.user.id ?? null, name: entry.user.name ?? null, role: entry.user.role ?? null },
    ip: entry.ip ?? null,
    request_id: entry.requestId ?? null,
    before: (entry.before ?? null) as Record<string, unknown> | null,
    after: (entry.after ?? null) as Record<string, unknown> | null,
    reason: entry.reason ?? null,
  }
}
