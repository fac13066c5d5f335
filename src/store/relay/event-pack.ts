import { destinationsText, factsOf, lineAt, readDestinations } from './event-columns.ts'
import type { EventColumns, EventHead } from './event-columns.ts'
import { dedupeKey } from './message-ids.ts'
import type { KeptRequest, RelayEvent } from './relay-event.ts'

/** Neighbours in the log, kept as one row: a tenth of the cost of a row each. */
export interface EventPackRow {
  /** The number of its last event. */
  last_seq: number
  first_seq: number
  /** When the newest of its events was received. */
  received_at: number
  /** Of all its events. */
  destinations: string
  /** JSON: an `EventHead` for each kind of event in it. */
  heads: string
  /** JSON: an `Item` for each event. */
  items: string
  /** Lines of JSON: events, and requests that are kept as they came. */
  events: Uint8Array
}

/** The columns that tell which events a pack can hold. */
export type PackHeads = Pick<EventPackRow, 'last_seq' | 'first_seq' | 'heads'>

/**
 * The number of an event, counted from `first_seq`, the place of its head, its receipt time and its message_id; the line that holds
 * it, and its place in the request there, -1 when the line is its own. Older packs hold nothing but events' own lines, and name none.
 */
type Item = [offset: number, head: number, receivedAt: number, messageId: string, line?: number, item?: number]

/** No pack spans more numbers than this: as many as the largest batch has. */
export const PACK_SPAN = 2500
/** No pack holds more bytes of lines than this, but for one with a single line. */
export const PACK_BYTES = 512 * 1024

// Small enough that reading one event is cheap, large enough that a row costs nothing per event. A single request may have more.
const MOST_EVENTS = 256
const OWN_LINE = -1

/** Packs events, which are numbered from `first`; those that are left out leave a gap in the numbers. */
export function packEvents(first: number, columns: EventColumns, isLeftOut: (index: number) => boolean): EventPackRow[] {
  const packs: EventPackRow[] = []
  let pack = new OpenPack(columns)
  for (let index = 0; index < columns.headOf.length; index++) {
    if (isLeftOut(index)) continue
    if (!pack.takes(index)) {
      packs.push(pack.close(first))
      pack = new OpenPack(columns)
    }
    pack.add(index)
  }
  if (!pack.isEmpty) packs.push(pack.close(first))
  return packs
}

/** The events of a pack, in order. */
export function unpackEvents(row: Pick<EventPackRow, 'first_seq' | 'heads' | 'items' | 'events'>): RelayEvent[] {
  const lines = splitLines(Buffer.from(row.events.buffer, row.events.byteOffset, row.events.byteLength))
  const requests = lines.map((line): KeptRequest => ({ line }))
  const items = readItems(row)
  return describe(row, items).map((event, index) => {
    const [, , , , line = index, item = OWN_LINE] = items[index] as Item
    return { ...event, event: item === OWN_LINE ? (lines[line] as Buffer).toString('utf8') : { request: requests[line] as KeptRequest, item } }
  })
}

/** As `unpackEvents`, without the events' content. */
export function unpackItems(row: Pick<EventPackRow, 'first_seq' | 'heads' | 'items'>): Omit<RelayEvent, 'event'>[] {
  return describe(row, readItems(row))
}

function describe(row: Pick<EventPackRow, 'first_seq' | 'heads'>, items: Item[]): Omit<RelayEvent, 'event'>[] {
  const heads = readHeads(row).map(factsOf)
  const first = Number(row.first_seq)
  return items.map(([offset, head, receivedAt, messageId]) => ({ seq: first + offset, messageId, receivedAt, ...(heads[head] as ReturnType<typeof factsOf>) }))
}

/** The `dedupeKey` of every event that a pack holds. */
export function keysIn(row: Pick<EventPackRow, 'first_seq' | 'heads' | 'items'>): Set<string> {
  return new Set(unpackItems(row).map(({ source, messageId }) => dedupeKey(source, messageId)))
}

function readItems({ items }: Pick<EventPackRow, 'items'>): Item[] {
  return JSON.parse(items) as Item[]
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = []
  for (let start = 0, end = bytes.indexOf(LINE_FEED); end >= 0; start = end + 1, end = bytes.indexOf(LINE_FEED, start)) lines.push(bytes.subarray(start, end))
  return lines
}

const LINE_FEED = 0x0a

/** The kinds of events that a pack holds. */
export function readHeads(row: Pick<EventPackRow, 'heads'>): EventHead[] {
  return JSON.parse(row.heads) as EventHead[]
}

/** A pack while it is filled. */
class OpenPack {
  readonly #columns: EventColumns
  readonly #indexes: number[] = []
  /** The lines that it holds. */
  readonly #lines: number[] = []
  /** The place in this pack of a head of the columns, and of heads that say the same. */
  readonly #places = new Map<number | string, number>()
  readonly #heads: EventHead[] = []
  readonly #headOf: number[] = []
  #bytes = 0

  constructor(columns: EventColumns) {
    this.#columns = columns
  }

  get isEmpty(): boolean {
    return this.#indexes.length === 0
  }

  /** What stands on one line lies in one pack. */
  takes(index: number): boolean {
    const { lineOf, lastOf } = this.#columns
    const [first] = this.#indexes
    const line = lineOf[index] as number
    if (first === undefined || this.#lines.at(-1) === line) return true
    return (lastOf[line] as number) - first < MOST_EVENTS && this.#bytes + this.#bytesOf(line) <= PACK_BYTES
  }

  add(index: number): void {
    const line = this.#columns.lineOf[index] as number
    this.#headOf.push(this.#placeOf(this.#columns.headOf[index] as number))
    this.#indexes.push(index)
    if (this.#lines.at(-1) === line) return
    this.#lines.push(line)
    this.#bytes += this.#bytesOf(line)
  }

  close(first: number): EventPackRow {
    const { receivedAts, messageIds, lineOf, itemOf } = this.#columns
    const [start] = this.#indexes as [number]
    let place = -1
    const items = this.#indexes.map((index, at): Item => {
      if (this.#lines[place] !== lineOf[index]) place += 1
      return [index - start, this.#headOf[at] as number, receivedAts[index] as number, messageIds[index] as string, place, itemOf[index] as number]
    })
    return {
      last_seq: first + (this.#indexes.at(-1) as number),
      first_seq: first + start,
      received_at: items.reduce((newest, [, , receivedAt]) => Math.max(newest, receivedAt), 0),
      destinations: unionOf(this.#heads),
      heads: JSON.stringify(this.#heads),
      items: JSON.stringify(items),
      events: this.#texts(),
    }
  }

  #bytesOf(line: number): number {
    const { lineEnds } = this.#columns
    return (lineEnds[line] as number) - (lineEnds[line - 1] ?? 0)
  }

  /** Requests of one moment repeat each other's heads. */
  #placeOf(head: number): number {
    const known = this.#places.get(head)
    if (known !== undefined) return known
    const facts = this.#columns.heads[head] as EventHead
    const text = JSON.stringify(facts)
    const place = this.#places.get(text) ?? this.#heads.push(facts) - 1
    this.#places.set(head, place).set(text, place)
    return place
  }

  #texts(): Uint8Array {
    const { texts, lineEnds } = this.#columns
    const [start] = this.#lines as [number]
    const end = this.#lines.at(-1) as number
    if (end - start + 1 === this.#lines.length) return texts.subarray(lineEnds[start - 1] ?? 0, lineEnds[end])
    return Buffer.concat(this.#lines.flatMap((line) => [lineAt(this.#columns, line), LINE_END]))
  }
}

const LINE_END = Buffer.from('\n')

function unionOf(heads: EventHead[]): string {
  return destinationsText([...new Set(heads.flatMap(({ destinations }) => readDestinations(destinations)))])
}
