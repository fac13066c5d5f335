import { DAY, parseDuration } from '../duration.ts'
import { conflict } from '../error.ts'
import type { Actor } from '../store/actor.ts'
import { markApiKeyRevoked } from '../store/api-keys.ts'
import type { ApiKey } from '../store/api-keys.ts'
import { change } from '../store/change.ts'
import type { ChangeDeps } from '../store/change.ts'
import { formatTime } from '../time.ts'
import { generateKey } from './key-format.ts'
import { existingKey, keyStatus, shownKey, storeKey } from './keys.ts'
import type { CreatedKey } from './keys.ts'

// A deployment a day: long enough to bring the new key everywhere.
const USUAL_OVERLAP_MS = DAY

/**
 * Replaces a key by a new one of the same role, name and expiry. Both work until the overlap is over, then only the new one.
 * @throws SignalbookError `not_found`, `invalid_request` for the overlap, `conflict` for a key that is no longer live or was rotated already
 */
export async function rotateKey(deps: ChangeDeps, actor: Actor, { id, overlap }: { id: number; overlap: string | undefined }): Promise<CreatedKey> {
  const overlapMs = overlap === undefined ? USUAL_OVERLAP_MS : parseOverlap(overlap)
  const raw = generateKey()
  return change(deps, actor, async ({ tx, at, revision }) => {
    const old = await existingKey(tx, id)
    assertRotatable(old, at)
    const { created, fact } = await storeKey({ tx, at, revision }, actor, { raw, role: old.role, name: old.name, expiresAt: old.expiresAt })
    const revokedAt = at + overlapMs
    await markApiKeyRevoked(tx, id, revokedAt, revision)
    const rotated = { ...shownKey(old), revoked_at: formatTime(revokedAt), replaced_by: created.id }
    return { result: created, facts: [{ action: 'rotated', entity: 'key', entityId: String(id), before: shownKey(old), after: rotated }, fact] }
  })
}

function assertRotatable(key: ApiKey, at: number): void {
  const status = keyStatus(key, at)
  if (status !== 'active') throw conflict(`key ${key.id} is ${status}; only a live key can be rotated, create a new one with POST /v1/admin/keys`)
  if (key.revokedAt !== undefined) throw conflict(`key ${key.id} was rotated already and ends at ${formatTime(key.revokedAt)}; rotate its successor, or revoke it`)
}

function parseOverlap(text: string): number {
  return /^0[smhdy]$/.test(text) ? 0 : parseDuration(text, 'overlap')
}
