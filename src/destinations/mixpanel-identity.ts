import type { CanonicalEvent } from './canonical-event.ts'
import type { ProviderConfig } from './destination.ts'

/** Ids that senders put where they have none. Mixpanel refuses them, and each refusal counts against the project's quota. */
const PLACEHOLDERS = new Set(['anon', 'anonymous', 'nil', 'none', 'null', 'n/a', '00000000-0000-0000-0000-000000000000'])

/** True for projects with Mixpanel's older way of joining ids, which is a setting of the project. */
export function isOriginalMerge(config: ProviderConfig): boolean {
  return config['identity_merge'] === 'original'
}

/** The id that an event or a profile stands under: empty when there is none, which Mixpanel takes for events but not for profiles. */
export function distinctId(event: CanonicalEvent, config: ProviderConfig): string {
  if (event.user_id !== undefined) return event.user_id
  if (event.anonymous_id === undefined) return ''
  return isOriginalMerge(config) ? event.anonymous_id : `$device:${event.anonymous_id}`
}

/** The event without an anonymous id that would join all users that share it; it stays where it is all that there is. */
export function withoutSharedDevice(event: CanonicalEvent): CanonicalEvent {
  if (event.user_id === undefined || !isPlaceholder(event.anonymous_id)) return event
  const others = { ...event }
  delete others.anonymous_id
  return others
}

/** Which of an event's ids Mixpanel refuses as one that means nobody. */
export function placeholderId(event: CanonicalEvent): 'user_id' | 'anonymous_id' | 'previous_id' | undefined {
  return (['user_id', 'anonymous_id', 'previous_id'] as const).find((field) => isPlaceholder(event[field]))
}

function isPlaceholder(id: string | undefined): boolean {
  return id !== undefined && PLACEHOLDERS.has(id.toLowerCase())
}
