import { parseDuration } from '../duration.ts'
import { SignalbookError, invalid, notFound } from '../error.ts'
import { anyApiKey, findApiKey, insertApiKey, markApiKeyRevoked } from '../store/api-keys.ts'
import type { ApiKey } from '../store/api-keys.ts'
import { change } from '../store/change.ts'
import { actorLabel } from '../store/actor.ts'
import type { Actor, Role } from '../store/actor.ts'
import type { ChangeContext, ChangeDeps } from '../store/change.ts'
import type { AuditFact } from '../store/audit-entries.ts'
import type { Executor } from '../store/db.ts'
import { formatOptionalTime } from '../time.ts'
import { generateKey, hashKey, keyPrefix } from './key-format.ts'

// As the contract says; the command line comes past it.
const LONGEST_NAME = 100

export interface NewKey {
  role: Role
  name?: string | undefined
  /** Duration such as `24h`, `7d` or `1y`. */
  expiresIn?: string | undefined
}

/** A key at its creation: the only time that the raw key is known. */
export interface CreatedKey {
  id: number
  key: string
  role: Role
  name: string | undefined
  createdAt: number
  expiresAt: number | undefined
}

/** Creates a key on behalf of an admin, or of the machine's owner at the command line. */
export async function createKey(deps: ChangeDeps, actor: Actor, input: NewKey): Promise<CreatedKey> {
  return create(deps, actor, input, async () => {})
}

/**
 * Creates the first key without authentication. Of simultaneous calls exactly one wins, since changes run one after another.
 * @throws SignalbookError `unauthorized` once any key was ever created, `invalid_request` for a role other than admin
 */
export async function bootstrapKey(deps: ChangeDeps, actor: Actor, input: NewKey): Promise<CreatedKey> {
  return create(deps, { ...actor, name: 'bootstrap' }, input, async (isFirst) => {
    if (!isFirst) throw new SignalbookError('unauthorized', 'a key exists already, so creating one needs an admin key in the header Authorization: Bearer <API_KEY>')
    if (input.role !== 'admin') throw invalid('the first key must have the role "admin": a lesser one could not create the others')
  })
}

async function create(deps: ChangeDeps, actor: Actor, input: NewKey, check: (isFirst: boolean) => Promise<void>): Promise<CreatedKey> {
  const lifetimeMs = input.expiresIn === undefined ? undefined : parseDuration(input.expiresIn, 'expires_in')
  if (input.name !== undefined && [...input.name].length > LONGEST_NAME) throw invalid(`name must be at most ${LONGEST_NAME} characters; it has ${[...input.name].length}`)
  const raw = generateKey()
  return change(deps, actor, async ({ tx, at, revision }) => {
    await check(!(await anyApiKey(tx)))
    const expiresAt = lifetimeMs === undefined ? undefined : at + lifetimeMs
    const { created, fact } = await storeKey({ tx, at, revision }, actor, { raw, role: input.role, name: input.name, expiresAt })
    return { result: created, facts: [fact] }
  })
}

/** Stores a new key inside a change. @returns it, and what the audit log has to say of it */
export async function storeKey(
  { tx, at, revision }: ChangeContext,
  actor: Actor,
  { raw, role, name, expiresAt }: { raw: string } & Pick<ApiKey, 'role' | 'name' | 'expiresAt'>,
): Promise<{ created: CreatedKey; fact: AuditFact }> {
  const key = { hash: hashKey(raw), prefix: keyPrefix(raw), role, name, createdBy: actorLabel(actor), createdAt: at, expiresAt, lastUsedAt: undefined, revokedAt: undefined }
  const id = await insertApiKey(tx, key, revision)
  return {
    created: { id, key: raw, role, name, createdAt: at, expiresAt },
    fact: { action: 'created', entity: 'key', entityId: String(id), after: { ...shownKey({ id, ...key }), expires_at: formatOptionalTime(expiresAt) } },
  }
}

/**
 * Revokes a key: its next request, on every instance, is refused. Revoking a revoked key changes nothing.
 * @throws SignalbookError `not_found`
 */
export async function revokeKey(deps: ChangeDeps, actor: Actor, id: number): Promise<void> {
  await change(deps, actor, async ({ tx, at, revision }) => {
    const key = await existingKey(tx, id)
    if (keyStatus(key, at) === 'revoked') return { result: undefined, facts: [] }
    await markApiKeyRevoked(tx, id, at, revision)
    return { result: undefined, facts: [{ action: 'revoked', entity: 'key', entityId: String(id), before: shownKey(key) }] }
  })
}

/** @throws SignalbookError `not_found` */
export async function existingKey(db: Executor, id: number): Promise<ApiKey> {
  const key = await findApiKey(db, id)
  if (!key) throw notFound(`there is no key with the id ${id}; GET /v1/admin/keys lists them`)
  return key
}

/** What the audit log shows of a key. */
export function shownKey(key: ApiKey): Record<string, unknown> {
  return { id: key.id, role: key.role, name: key.name ?? null, prefix: key.prefix }
}

/** Whether a key may be used at a time. */
export function keyStatus(key: ApiKey, atMs: number): 'active' | 'expired' | 'revoked' {
  // A rotated key is revoked in advance, for the end of its overlap: no timer has to fire, on any instance.
  if (key.revokedAt !== undefined && key.revokedAt <= atMs) return 'revoked'
  return key.expiresAt !== undefined && key.expiresAt <= atMs ? 'expired' : 'active'
}
