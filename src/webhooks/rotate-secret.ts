import { DAY, parseDuration } from '../duration.ts'
import { invalid } from '../error.ts'
import { change } from '../store/change.ts'
import type { Actor } from '../store/actor.ts'
import type { ChangeDeps } from '../store/change.ts'
import { replaceSecret } from '../store/webhook-secrets.ts'
import { SECRET_MASK, newSecret } from './secret.ts'
import { requireWebhook } from './webhooks.ts'

/** Long enough to bring the new secret to a receiver, and no secret that leaked should sign for longer. */
const LONGEST_OVERLAP_MS = 30 * DAY

/** A webhook's new secret, shown once. */
export interface RotatedSecret {
  id: number
  secret: string
  /** Until when the secret before signs as well, `undefined` when it ended at once. */
  previousUntil: number | undefined
}

/**
 * Gives a webhook a new secret. During the overlap each delivery is signed by both, so that receivers change over without a gap.
 * @param overlap a duration such as `24h`; `0s` ends the secret before at once
 * @throws SignalbookError `not_found`, `invalid_request`
 */
export async function rotateSecret(deps: ChangeDeps, actor: Actor, { id, overlap }: { id: number; overlap: string }): Promise<RotatedSecret> {
  const overlapMs = readOverlap(overlap)
  const secret = newSecret()
  return change(deps, actor, async ({ tx, at }) => {
    await requireWebhook(tx, id)
    const previousUntil = overlapMs === 0 ? undefined : at + overlapMs
    await replaceSecret(tx, id, { secret, previousUntil })
    const masked = { id, secret: SECRET_MASK }
    return { result: { id, secret, previousUntil }, facts: [{ action: 'secret_rotated', entity: 'webhook', entityId: String(id), before: masked, after: { ...masked, overlap } }] }
  })
}

function readOverlap(text: string): number {
  const overlapMs = text === '0s' ? 0 : parseDuration(text, 'overlap')
  if (overlapMs > LONGEST_OVERLAP_MS) throw invalid(`overlap must be at most 30d, or 0s to end the secret before at once; got "${text}"`)
  return overlapMs
}
