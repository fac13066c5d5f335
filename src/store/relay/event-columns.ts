import type { NewEvent, RelayEvent, Verdict } from './relay-event.ts'

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
  /** The events as JSON in UTF-8, one after the other, each ended by a line feed, which JSON has none of. */
  texts: Uint8Array<ArrayBuffer>
  /** Where in `texts` each event ends. */
  ends: number[]
}

/** Puts events into columns, with texts in memory of their own that can be handed to another thread. */
export function toColumns(events: NewEvent[]): EventColumns {
  const columns: Omit<EventColumns, 'texts' | 'ends'> = { heads: [], headOf: [], receivedAts: [], messageIds: [] }
  let last: NewEvent | undefined
  let joined = ''
  for (const event of events) {
    // The events of one moment mostly differ in their ids and texts only.
    if (!last || !isAlike(last, event)) columns.heads.push(headOf(event))
    last = event
    columns.headOf.push(columns.heads.length - 1)
    columns.receivedAts.push(event.receivedAt)
    columns.messageIds.push(event.messageId)
    joined += `${event.event}\n`
  }
  const texts = new TextEncoder().encode(joined)
  return { ...columns, texts, ends: endsOf(events, texts.length === joined.length) }
}

/** The JSON of one event, as bytes. */
export function textAt({ texts, ends }: Pick<EventColumns, 'texts' | 'ends'>, index: number): Uint8Array<ArrayBuffer> {
  return texts.subarray(ends[index - 1] ?? 0, (ends[index] as number) - 1)
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

function endsOf(events: NewEvent[], isAscii: boolean): number[] {
  let end = 0
  return events.map(({ event }) => (end += (isAscii ? event.length : Buffer.byteLength(event)) + 1))
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
