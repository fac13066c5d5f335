import type { Role } from './actor.ts'
import type { Executor } from './db.ts'

const TABLE = 'api_keys'

/** An API key as stored: its SHA-256 in hexadecimal, never the key itself. */
export interface ApiKey {
  id: number
  hash: string
  /** The first characters of the raw key, for people to tell keys apart. */
  prefix: string
  role: Role
  name: string | undefined
  createdBy: string | undefined
  createdAt: number
  expiresAt: number | undefined
  lastUsedAt: number | undefined
  revokedAt: number | undefined
}

interface ApiKeyRow {
  id: number
  hash: string
  prefix: string
  role: Role
  name: string | null
  created_by: string | null
  created_at: number
  expires_at: number | null
  last_used_at: number | null
  revoked_at: number | null
  revision: number
}

/** True when a key was ever created; a revoked one counts, so that revoking never reopens the bootstrap. */
export async function anyApiKey(db: Executor): Promise<boolean> {
  return (await db(TABLE).select('id').first()) !== undefined
}

/** Keys by id, ascending, after the id `afterId`. */
export async function listApiKeys(db: Executor, page: { afterId: number; limit: number | undefined }): Promise<ApiKey[]> {
  const query = db<ApiKeyRow>(TABLE).where('id', '>', page.afterId).orderBy('id')
  if (page.limit !== undefined) void query.limit(page.limit)
  return (await query).map(toApiKey)
}

/** Keys created or revoked after a revision: what a snapshot that knows that revision lacks. */
export async function apiKeysSince(db: Executor, revision: number): Promise<ApiKey[]> {
  return ((await db<ApiKeyRow>(TABLE).where('revision', '>', revision))).map(toApiKey)
}

export async function findApiKey(db: Executor, id: number): Promise<ApiKey | undefined> {
  const row = (await db<ApiKeyRow>(TABLE).where('id', id).first())
  return row && toApiKey(row)
}

/** @returns the id of the new key */
export async function insertApiKey(db: Executor, key: Omit<ApiKey, 'id'>, revision: number): Promise<number> {
  const [id] = await db(TABLE).insert({
    hash: key.hash,
    prefix: key.prefix,
    role: key.role,
    name: key.name ?? null,
    created_by: key.createdBy ?? null,
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revokedAt ?? null,
    revision,
  })
  return id as number
}

export async function markApiKeyRevoked(db: Executor, id: number, at: number, revision: number): Promise<void> {
  await db(TABLE).where('id', id).update({ revoked_at: at, revision })
}

/** Notes the last use of keys; no change of the registry, so it has no revision. */
export async function markApiKeysUsed(db: Executor, lastUses: ReadonlyMap<number, number>): Promise<void> {
  for (const [id, at] of lastUses) await db(TABLE).where('id', id).update({ last_used_at: at })
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    hash: row.hash,
    prefix: row.prefix,
    role: row.role,
    name: row.name ?? undefined,
    createdBy: row.created_by ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  }
}
