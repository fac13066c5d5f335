import { idPrefixOf } from './made-id.ts'
import { dedupeKey, prefixKey } from './message-ids.ts'
import type { KeptRequest, NewEvent, RelayEvent, Verdict } from './relay-event.ts'

/** What events have in common that came together. */
export interface EventHead {
  source: string
  type: string
  event_name: string | null
  verdict: string
  /** As `destinationsText` writes them. */
  destinations: string
  spec: string | null
  /** As JSON. */
  violations: string | null
  /** Replays repeat the message_id of an event that is in the log already. */
  is_replay: boolean
}

/**
 * Events on their way into the log, column by column: few long lists cross to another thread at a fraction of the cost of many
 * objects, and the texts are handed over without being copied.
 */
export interface EventColumns {
  heads: EventHead[]
  /** For each event the place of its head. */
  headOf: number[]
  receivedAts: number[]
  messageIds: string[]
  /** For each event the line that holds it. */
  lineOf: number[]
  /** For each event its place in the request on that line; -1 where the line is the event's own JSON. */
  itemOf: number[]
  /** Lines of UTF-8, each ended by a line feed, which JSON needs none of. */
  texts: Uint8Array<ArrayBuffer>
  /** Where in `texts` each line ends. */
  lineEnds: number[]
  /** For each line the place of its last event. */
  lastOf: number[]
  keys: EventKeys
}

/** Which rows make the events findable and their repetitions known. */
export interface EventKeys {
  /** Events that have a key of their own. */
  own: { index: number; key: string }[]
  /** Keys that stand for the ids made for one request, under the last event that has such an id. */
  shared: { index: number; key: string }[]
  /** Events whose id was sent and may be one that was made for an earlier request, with the key that would stand for it and their own. */
  suspect: { index: number; key: string; own: string }[]
}

/** Puts events into columns, with texts in memory of their own that can be handed to another thread. */
export function toColumns(events: NewEvent[]): EventColumns {
  const columns: Omit<EventColumns, 'texts' | 'lineEnds' | 'keys'> = { heads: [], headOf: [], receivedAts: [], messageIds: [], lineOf: [], itemOf: [], lastOf: [] }
  const lines: (string | Buffer)[] = []
  let last: NewEvent | undefined
  let request: KeptRequest | undefined
  let requestLine = 0
  for (const event of events) {
    // The events of one moment mostly differ in their ids and texts only.
    if (!last || !isAlike(last, event)) columns.heads.push(headOf(event))
    last = event
    const { event: content } = event
    if (typeof content === 'string') {
      columns.lineOf.push(lines.push(content) - 1)
    } else {
      if (content.request !== request) requestLine = lines.push(content.request.line) - 1
      request = content.request
      columns.lineOf.push(requestLine)
    }
    columns.itemOf.push(typeof content === 'string' ? -1 : content.item)
    columns.headOf.push(columns.heads.length - 1)
    columns.receivedAts.push(event.receivedAt)
    columns.lastOf[columns.lineOf.at(-1) as number] = columns.messageIds.push(event.messageId) - 1
  }
  return { ...columns, ...joinLines(lines), keys: keysOf(events) }
}

/** A line without its end. */
export function lineAt({ texts, lineEnds }: Pick<EventColumns, 'texts' | 'lineEnds'>, line: number): Uint8Array<ArrayBuffer> {
  return texts.subarray(lineEnds[line - 1] ?? 0, (lineEnds[line] as number) - 1)
}

/** How many events each destination gets of those that are not left out. */
export function acceptedBy({ heads, headOf }: Pick<EventColumns, 'heads' | 'headOf'>, isLeftOut: (index: number) => boolean): { source: string; destinationId: number; accepted: number }[] {
  const counts = heads.map(() => 0)
  headOf.forEach((head, index) => {
    if (!isLeftOut(index)) counts[head] = (counts[head] as number) + 1
  })
  const totals = new Map<string, { source: string; destinationId: number; accepted: number }>()
  heads.forEach(({ source, destinations }, head) => {
    const accepted = counts[head] as number
    if (accepted === 0) return
    for (const destinationId of readDestinations(destinations)) {
      const key = `${destinationId}\n${source}`
      const total = totals.get(key)
      if (total) total.accepted += accepted
      else totals.set(key, { source, destinationId, accepted })
    }
  })
  return [...totals.values()]
}

/** What a head says, as the rest of the code names it. */
export function factsOf({ source, type, event_name, verdict, destinations, spec, violations }: Omit<EventHead, 'is_replay'>): Omit<RelayEvent, 'seq' | 'messageId' | 'receivedAt' | 'event'> {
  return {
    source,
    type,
    eventName: event_name ?? undefined,
    verdict: verdict as Verdict,
    destinationIds: readDestinations(destinations),
    spec: spec ?? undefined,
    violations: violations === null ? undefined : (JSON.parse(violations) as unknown[]),
  }
}

/** Ids of destinations with commas around every one, so that `like '%,7,%'` finds 7 and not 17. */
export function destinationsText(ids: readonly number[]): string {
  return ids.length === 0 ? '' : `,${ids.join(',')},`
}

/** Reads what `destinationsText` wrote. */
export function readDestinations(text: string): number[] {
  return text.split(',').filter(Boolean).map(Number)
}

function joinLines(lines: (string | Buffer)[]): Pick<EventColumns, 'texts' | 'lineEnds'> {
  let end = 0
  const lineEnds = lines.map((line) => (end += (typeof line === 'string' ? Buffer.byteLength(line) : line.length) + 1))
  // Not from the pool, whose memory is not one's own to hand over.
  const texts = Buffer.allocUnsafeSlow(end)
  lines.forEach((line, index) => {
    const start = lineEnds[index - 1] ?? 0
    if (typeof line === 'string') texts.write(line, start)
    else texts.set(line, start)
    texts[(lineEnds[index] as number) - 1] = LINE_FEED
  })
  return { texts, lineEnds }
}

const LINE_FEED = 0x0a

function keysOf(events: NewEvent[]): EventKeys {
  const keys: EventKeys = { own: [], shared: [], suspect: [] }
  let request: KeptRequest | undefined
  events.forEach(({ source, messageId, event, idPrefix, isReplay }, index) => {
    if (isReplay) return
    if (idPrefix !== undefined && typeof event !== 'string') {
      const shared = event.request === request ? keys.shared.at(-1) : undefined
      if (shared) shared.index = index
      else keys.shared.push({ index, key: prefixKey(source, idPrefix) })
      request = event.request
      return
    }
    const own = dedupeKey(source, messageId)
    keys.own.push({ index, key: own })
    const sentPrefix = idPrefix === undefined ? idPrefixOf(messageId) : undefined
    if (sentPrefix !== undefined) keys.suspect.push({ index, key: prefixKey(source, sentPrefix), own })
  })
  return keys
}

function isAlike(one: NewEvent, other: NewEvent): boolean {
  return (
    one.source === other.source &&
    one.type === other.type &&
    one.eventName === other.eventName &&
    one.verdict === other.verdict &&
    one.spec === other.spec &&
    one.violations === undefined &&
    other.violations === undefined &&
    one.isReplay === other.isReplay &&
    // Lists that a snapshot keeps: the same ones are the same object.
    one.destinationIds === other.destinationIds
  )
}

function headOf(event: NewEvent): EventHead {
  return {
    source: event.source,
    type: event.type,
    event_name: event.eventName ?? null,
    verdict: event.verdict,
    destinations: destinationsText(event.destinationIds),
    spec: event.spec ?? null,
    violations: event.violations ? JSON.stringify(event.violations) : null,
    is_replay: event.isReplay === true,
  }
}
