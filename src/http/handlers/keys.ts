import { bootstrapKey, createKey, keyStatus, revokeKey } from '../../admin/keys.ts'
import type { CreatedKey } from '../../admin/keys.ts'
import { rotateKey } from '../../admin/rotate-key.ts'
import { listApiKeys } from '../../store/api-keys.ts'
import type { ChangeDeps } from '../../store/change.ts'
import { formatOptionalTime, formatTime } from '../../time.ts'
import type { HandlersOf, Output } from '../operation.ts'
import { linkToNext, readIdCursor } from '../paging.ts'

/** API keys: creation (the first one without a key), listing, rotation, revocation. */
export function keyHandlers(deps: ChangeDeps): HandlersOf<'createKey' | 'listKeys' | 'revokeKey' | 'rotateKey'> {
  return {
    async createKey({ body, actor }) {
      // No key came with the call: only the bootstrap lets it this far, and it decides again inside its transaction.
      const create = actor.keyId === undefined ? bootstrapKey : createKey
      const created = await create(deps, actor, { role: body.role, name: body.name ?? undefined, expiresIn: body.expires_in ?? undefined })
      return shownOnce(created)
    },

    async listKeys({ query, request }) {
      const { limit } = query
      const found = await listApiKeys(deps.db.knex, { afterId: query.cursor === undefined ? 0 : readIdCursor(query.cursor), limit: limit === undefined ? undefined : limit + 1 })
      const keys = found.slice(0, limit)
      return {
        status: 200,
        headers: linkToNext(request.url, found.length > keys.length ? [String(keys.at(-1)?.id)] : undefined),
        body: keys.map((key) => ({
          id: key.id,
          name: key.name ?? null,
          role: key.role,
          prefix: key.prefix,
          status: keyStatus(key, deps.now()),
          created_by: key.createdBy ?? null,
          created_at: formatTime(key.createdAt),
          expires_at: formatOptionalTime(key.expiresAt),
          last_used_at: formatOptionalTime(key.lastUsedAt),
          revoked_at: formatOptionalTime(key.revokedAt),
        })),
      }
    },

    async revokeKey({ path, actor }) {
      await revokeKey(deps, actor, path.id)
      return { status: 204 }
    },

    async rotateKey({ path, body, actor }) {
      return shownOnce(await rotateKey(deps, actor, { id: path.id, overlap: body?.overlap }))
    },
  }
}

/** The only answer that ever holds the raw key. */
function shownOnce(created: CreatedKey): Output<'createKey' | 'rotateKey'> {
  return {
    status: 201,
    headers: { Location: `/v1/admin/keys/${created.id}` },
    body: {
      id: created.id,
      key: created.key,
      role: created.role,
      name: created.name ?? null,
      created_at: formatTime(created.createdAt),
      expires_at: formatOptionalTime(created.expiresAt),
    },
  }
}
