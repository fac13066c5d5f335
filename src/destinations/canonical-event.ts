/** The relay call that sent an event. */
export type EventType = 'track' | 'identify' | 'group' | 'page' | 'alias'

/** All event types, in the order of the interface. */
export const EVENT_TYPES: readonly EventType[] = ['track', 'identify', 'group', 'page', 'alias']

/** An event as it stands in the log and as providers read it. Keys that do not apply are absent, never `null`. */
export interface CanonicalEvent {
  type: EventType
  /** Given by the sender or at receipt; the same over all retries, restarts and replays. */
  message_id: string
  source: string
  event_name?: string
  properties?: Record<string, unknown>
  traits?: Record<string, unknown>
  user_id?: string
  anonymous_id?: string
  group_id?: string
  previous_id?: string
  name?: string
  context: { attributes: Record<string, unknown> }
  /** RFC 3339 UTC; frozen at receipt, since it is part of some vendors' duplicate detection. */
  timestamp: string
  received_at: string
  /** The sender's own `timestamp`, where clock skew was corrected. */
  original_timestamp?: string
  event_version?: string
}
