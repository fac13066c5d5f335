import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import { enrich } from './enrich.ts'
import { eventTimes, readSenderTime } from './event-times.ts'
import { identify, messageId, readType } from './identity.ts'
import { mergeContext, readContext } from './merge-context.ts'
import type { Context } from './merge-context.ts'
import { faulty, readObject, readText, requireText } from './read-field.ts'
import type { FieldName } from './read-field.ts'
import type { RelayCall, RequestOrigin } from './relay-call.ts'

export interface NormaliseInput {
  call: RelayCall
  source: string
  batchContext: Context
  /** `sent_at` of a batch; a call's own wins. */
  sentAt: { text: string; at: number } | undefined
  request: RequestOrigin
  idempotencyKey: string | undefined
  /** The id of a call that names none. */
  madeId: string
  /** `request.receivedAt` as it is written: formatted once for all calls of a request. */
  receivedAtText: string
  named: FieldName
}

const VERSION = /^(?:0|[1-9]\d{0,8})-(?:0|[1-9]\d{0,8})-(?:0|[1-9]\d{0,8})$/

/**
 * Turns a call as sent into the event that is delivered. The log holds calls as they were sent, too: what is changed here changes
 * how they are read.
 * @throws SignalbookError `invalid_request` naming the field
 */
export function normalise(input: NormaliseInput): CanonicalEvent {
  const { call, named, request } = input
  const type = readType(call.type, named)
  const context = mergeContext(input.batchContext, readContext(call.context, named))
  const identity = identify(call, context, named)
  const timestamp = readSenderTime(call.timestamp, named, 'timestamp')
  const sentAt = readSenderTime(call.sent_at, named, 'sent_at') ?? input.sentAt
  const times = eventTimes({ timestamp, sentAt, receivedAt: request.receivedAt, receivedAtText: input.receivedAtText })
  // One shape for all types: its keys that hold nothing are not written.
  return {
    type,
    message_id: messageId(call, input.idempotencyKey, named) ?? input.madeId,
    source: input.source,
    event_name: type === 'track' ? requireText(call.event_name, named, 'event_name') : undefined,
    name: type === 'page' ? requireText(call.name, named, 'name') : undefined,
    group_id: type === 'group' ? requireText(call.group_id, named, 'group_id') : undefined,
    previous_id: type === 'alias' ? requireText(call.previous_id, named, 'previous_id') : undefined,
    properties: type === 'track' || type === 'page' ? (readObject(call.properties, named, 'properties') ?? {}) : undefined,
    traits: type === 'identify' || type === 'group' ? (readObject(call.traits, named, 'traits') ?? {}) : undefined,
    event_version: type === 'track' ? readVersion(call.event_version, named) : undefined,
    user_id: identity.userId,
    anonymous_id: identity.anonymousId,
    context: { attributes: enrich(context.attributes, request) },
    timestamp: times.timestamp,
    received_at: input.receivedAtText,
    original_timestamp: times.originalTimestamp,
  } as CanonicalEvent
}

function readVersion(value: unknown, named: FieldName): string | undefined {
  const version = readText(value, named, 'event_version')
  if (version !== undefined && !VERSION.test(version)) throw faulty(named('event_version'), 'must have the form MAJOR-MINOR-PATCH, such as 1-2-0')
  return version
}
