import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import { invalid } from '../../error.ts'
import { madeId } from '../../store/relay/made-id.ts'
import { formatTime } from '../../time.ts'
import { readSenderTime } from './event-times.ts'
import { readContext } from './merge-context.ts'
import { normalise } from './normalise.ts'
import type { FieldName } from './read-field.ts'
import type { BatchDefaults, RelayCall, RequestOrigin } from './relay-call.ts'

/** The calls of one request, and what is said for all of them. */
export interface Calls {
  source: string
  calls: readonly RelayCall[]
  /** Whether faults name `events[i]`. */
  isBatch: boolean
  /** Of a batch. */
  defaults?: BatchDefaults | undefined
  /** The header `Idempotency-Key` of a single call: its message_id, if the body has none. */
  idempotencyKey?: string | undefined
  origin: RequestOrigin
  /** What the ids of those calls begin with that name none. */
  idPrefix: string
}

/** Reads every call. @throws SignalbookError `invalid_request` naming the field */
export function readCalls(request: Calls): CanonicalEvent[] {
  const read = callReader(request)
  return request.calls.map((_, index) => read(index))
}

/** Reads one call, by its place. @throws SignalbookError `invalid_request` naming the field */
export type CallReader = (index: number) => CanonicalEvent

/** Reads the calls of a request one by one. @throws SignalbookError `invalid_request` for what is said for all of them */
export function callReader({ source, calls, isBatch, defaults, idempotencyKey, origin, idPrefix }: Calls): CallReader {
  const batchContext = readContext(defaults?.context, asNamed)
  const sentAt = readSenderTime(defaults?.sent_at, asNamed, 'sent_at')
  const receivedAtText = formatTime(origin.receivedAt)
  return (index) => {
    const call = calls[index]
    const named = namer(isBatch, index)
    if (typeof call !== 'object' || call === null || Array.isArray(call)) throw invalid(`${named('')} must be an object`)
    return normalise({ call, source, batchContext, sentAt, request: origin, madeId: madeId(idPrefix, index), receivedAtText, idempotencyKey, named })
  }
}

/** How faults name the fields of a call. */
export function namer(isBatch: boolean, index: number): FieldName {
  if (!isBatch) return asNamed
  return (field) => (field === '' ? `events[${index}]` : `events[${index}].${field}`)
}

const asNamed: FieldName = (field) => field
