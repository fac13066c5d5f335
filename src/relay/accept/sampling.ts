import { createHash } from 'node:crypto'
import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import type { PlannedSpec } from '../../snapshot/planned-spec.ts'

const HASH_RANGE = 2 ** 48

/**
 * True for an event that its spec's sampling keeps. `user_id_hash` keeps a user's events all or not at all, on every
 * instance and after every restart, and draws anew for each event spec but not for each of its versions.
 */
export function isSampledIn(deps: { random: () => number }, spec: Pick<PlannedSpec, 'id' | 'sampling'>, event: CanonicalEvent): boolean {
  const { strategy, rate } = spec.sampling
  if (strategy === 'none' || rate >= 1) return true
  if (strategy === 'random') return deps.random() < rate
  const who = event.user_id ?? event.anonymous_id ?? event.message_id
  const name = spec.id.slice(0, spec.id.lastIndexOf('@'))
  const hash = createHash('sha256').update(`${name}\n${who}`).digest()
  return hash.readUIntBE(0, 6) / HASH_RANGE < rate
}
