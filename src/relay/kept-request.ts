import type { CanonicalEvent } from '../destinations/canonical-event.ts'
import { PACK_BYTES, PACK_SPAN } from '../store/relay/event-pack.ts'
import type { KeptRequest, RelayEvent, RequestItem } from '../store/relay/relay-event.ts'
import { callReader } from './accept/read-calls.ts'
import type { CallReader } from './accept/read-calls.ts'
import type { BatchDefaults, RelayCall, RelayRequest } from './accept/relay-call.ts'

/** The line of a request in the log: its body as it came, and what the body does not tell. */
interface RequestLine {
  /** The path it came by: the calls of a batch name their own types. */
  call: 'batch' | RelayCall['type']
  ip?: string
  user_agent?: string
  body: RelayCall & BatchDefaults & { events?: RelayCall[] }
}

const [LINE_FEED, SPACE] = [0x0a, 0x20]

/**
 * Takes a request for the log as it came, which spares writing each of its events anew. Turns line feeds in `body` into spaces.
 * @returns `undefined` when it must not be kept as a whole, or would take more room than its events
 */
export function keepRequest(
  { body, ip, userAgent }: RelayRequest,
  { call, events, maxEventBytes }: { call: RequestLine['call']; events: number; maxEventBytes: number },
): KeptRequest | undefined {
  if (!body || events > PACK_SPAN || body.length > Math.min(PACK_BYTES, events * maxEventBytes)) return undefined
  // Line feeds in JSON stand between values only.
  for (let at = body.indexOf(LINE_FEED); at >= 0; at = body.indexOf(LINE_FEED, at + 1)) body[at] = SPACE
  const beginning = JSON.stringify({ call, ip, user_agent: userAgent })
  return { line: Buffer.concat([Buffer.from(`${beginning.slice(0, -1)},"body":`), body, CLOSING]) }
}

const CLOSING = Buffer.from('}')

/** A row of the log, or an event on its way into it. */
type Stored = Pick<RelayEvent, 'event' | 'source' | 'messageId' | 'receivedAt'>

/** An event as it is delivered. Whoever asks for the same row gets the same event: nobody may change it. */
export function eventOf(row: Stored): CanonicalEvent {
  const { event: content } = row
  if (typeof content !== 'string') return (content.known ??= readItem(row, content)) as CanonicalEvent
  const known = parsed.get(row)
  if (known) return known
  const event = JSON.parse(content) as CanonicalEvent
  parsed.set(row, event)
  return event
}

/** The JSON of an event as it is delivered. */
export function jsonOf(row: Stored): string {
  return typeof row.event === 'string' ? row.event : (row.event.json ??= JSON.stringify(eventOf(row)))
}

// Destinations that keep pace with each other are given the same rows.
const parsed = new WeakMap<Stored, CanonicalEvent>()
const readers = new WeakMap<KeptRequest, CallReader>()

function readItem({ source, messageId, receivedAt }: Stored, { request, item }: RequestItem): CanonicalEvent {
  const read = readers.get(request) ?? readerOf(request, { source, receivedAt })
  readers.set(request, read)
  return withoutAbsent({ ...read(item), message_id: messageId })
}

function readerOf(request: KeptRequest, { source, receivedAt }: Pick<RelayEvent, 'source' | 'receivedAt'>): CallReader {
  const { call, ip, user_agent: userAgent, body } = JSON.parse(request.line.toString('utf8')) as RequestLine
  const isBatch = call === 'batch'
  const calls = isBatch ? (body.events ?? []) : [{ ...body, type: call }]
  // The ids that were made stand beside the line.
  return callReader({ source, calls, isBatch, defaults: isBatch ? body : undefined, origin: { ip, userAgent, receivedAt }, idPrefix: '' })
}

/** As parsing its JSON would give it. */
function withoutAbsent(event: CanonicalEvent): CanonicalEvent {
  const present: Record<string, unknown> = {}
  for (const key in event) {
    const value = (event as unknown as Record<string, unknown>)[key]
    if (value !== undefined) present[key] = value
  }
  return present as unknown as CanonicalEvent
}
