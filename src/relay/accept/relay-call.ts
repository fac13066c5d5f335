import type { EventType } from '../../destinations/canonical-event.ts'

/** Who an event is about, as sent. `null` counts as absent. */
export interface RelayContext {
  user_id?: string | null
  anonymous_id?: string | null
  attributes?: Record<string, unknown> | null
}

/**
 * The body of one relay call, or one item of a batch, as sent; the path of a single call gives `type`.
 * `null` counts as absent, fields that are not listed are ignored.
 */
export interface RelayCall {
  type: EventType
  event_name?: string | null
  properties?: Record<string, unknown> | null
  traits?: Record<string, unknown> | null
  user_id?: string | null
  anonymous_id?: string | null
  previous_id?: string | null
  group_id?: string | null
  name?: string | null
  context?: RelayContext | null
  timestamp?: string | null
  sent_at?: string | null
  message_id?: string | null
  event_version?: string | null
}

/** What a batch says for all its items. */
export interface BatchDefaults {
  /** The default context of its items. */
  context?: RelayContext | null | undefined
  sent_at?: string | null | undefined
}

/** What is known of a request beside its calls. */
export interface RequestOrigin {
  ip?: string | undefined
  userAgent?: string | undefined
  /** Epoch milliseconds. */
  receivedAt: number
}

/** A request as it reached the service. */
export interface RelayRequest extends RequestOrigin {
  /** Its body: JSON, in UTF-8 without a byte order mark. Without it the log keeps each event's own JSON. */
  body?: Buffer | undefined
}
