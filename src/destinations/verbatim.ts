import { SECOND } from '../duration.ts'
import type { CanonicalEvent } from './canonical-event.ts'
import type { Encoded, Limits, ProviderConfig } from './destination.ts'

const MIB = 1024 * 1024

/** Passes the event's own JSON on: the encoder of local destinations. */
export function verbatim(event: CanonicalEvent, _config: ProviderConfig, json: () => string): Encoded {
  return { items: [{ lane: '', key: event.message_id, body: json() }] }
}

/** One large write at a time, which also keeps the order of the log. */
export function localLimits(): Limits {
  return { items: 500, bytes: 4 * MIB, itemBytes: 4 * MIB, concurrency: 1, timeoutMs: 10 * SECOND, lingerMs: 0 }
}
