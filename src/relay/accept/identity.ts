import type { EventType } from '../../destinations/canonical-event.ts'
import type { Context } from './merge-context.ts'
import type { RelayCall } from './relay-call.ts'
import { faulty, readText, requireText } from './read-field.ts'
import type { FieldName } from './read-field.ts'

/** Whom an event is about. */
export interface Identity {
  userId: string | undefined
  anonymousId: string | undefined
}

/** Finds out whom a call is about: what stands in the call itself wins over its context. An alias must name its user itself. */
export function identify(call: RelayCall, context: Context, named: FieldName): Identity {
  const own = call.type === 'alias' ? requireText(call.user_id, named, 'user_id') : readText(call.user_id, named, 'user_id')
  return {
    userId: own ?? context.userId,
    anonymousId: readText(call.anonymous_id, named, 'anonymous_id') ?? context.anonymousId,
  }
}

const MAX_MESSAGE_ID_LENGTH = 100

/** The id by which the sender knows the event: the call's own, or the request's `Idempotency-Key`. */
export function messageId(call: RelayCall, idempotencyKey: string | undefined, named: FieldName): string | undefined {
  const own = shortId(call.message_id, named, 'message_id')
  return own ?? shortId(idempotencyKey, unnested, 'the header Idempotency-Key')
}

const unnested: FieldName = (field) => field

function shortId(value: unknown, named: FieldName, field: string): string | undefined {
  const text = readText(value, named, field)
  if (text !== undefined && text.length > MAX_MESSAGE_ID_LENGTH) throw faulty(named(field), `must have at most ${MAX_MESSAGE_ID_LENGTH} characters; it has ${text.length}`)
  return text
}

const EVENT_TYPES: ReadonlySet<unknown> = new Set<EventType>(['track', 'identify', 'group', 'page', 'alias'])

/** The type of a call. @throws SignalbookError `invalid_request` */
export function readType(value: unknown, named: FieldName): EventType {
  if (!EVENT_TYPES.has(value)) throw faulty(named('type'), `must be one of ${[...EVENT_TYPES].map((type) => `"${String(type)}"`).join(', ')}`)
  return value as EventType
}
