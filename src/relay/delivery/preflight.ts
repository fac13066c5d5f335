import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import type { Limits, Provider } from '../../destinations/destination.ts'

/** Why an event cannot go to a destination at all. */
export interface Refusal {
  code: string
  message: string
}

/**
 * Finds what a vendor would refuse about an event alone, before it joins a batch: one such event makes some vendors refuse
 * the whole request.
 */
export function preflight(event: CanonicalEvent, provider: Pick<Provider, 'name' | 'identity'>, limits: Limits, now: number): Refusal | undefined {
  if (provider.identity === 'user' && !event.user_id) {
    return { code: 'missing_identity', message: `${provider.name} takes no event without user_id` }
  }
  if (provider.identity === 'user_or_anon' && !event.user_id && !event.anonymous_id) {
    return { code: 'missing_identity', message: `${provider.name} takes no event without user_id or anonymous_id` }
  }
  const age = now - Date.parse(event.timestamp)
  if (limits.maxAgeMs !== undefined && age > limits.maxAgeMs) return { code: 'too_old', message: `${provider.name} takes no event from before ${new Date(now - limits.maxAgeMs).toISOString()}` }
  if (limits.maxFutureMs !== undefined && -age > limits.maxFutureMs) return { code: 'in_future', message: `${provider.name} takes no event from after ${new Date(now + limits.maxFutureMs).toISOString()}` }
  return undefined
}
