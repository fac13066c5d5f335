import { destinationsText, factsOf, readDestinations, textAt } from './event-columns.ts'
import type { EventColumns, EventHead } from './event-columns.ts'
import type { RelayEvent } from './relay-event.ts'

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
  /** JSON: for each event its number, counted from `first_seq`, the place of its head, its receipt time and its message_id. */
  items: string
  /** The events as JSON, one per line. */
  events: Uint8Array
}

/** The columns that tell which events a pack can hold. */
export type PackHeads = Pick<EventPackRow, 'last_seq' | 'first_seq' | 'heads'>

type Item = [offset: number, head: number, receivedAt: number, messageId: string]

// Small enough that reading one event of it is cheap, large enough that its row costs nothing per event.
const MOST_EVENTS = 256
const MOST_BYTES = 512 * 1024

/** No pack spans more numbers than this. */
export const PACK_SPAN = MOST_EVENTS

/** Packs events, which are numbered from `first`; those that are left out leave a gap in the numbers. */
export function packEvents(first: number, columns: EventColumns, isLeftOut: (index: number) => boolean): EventPackRow[] {
  const packs: EventPackRow[] = []
  let pack = new OpenPack(columns)
  for (let index = 0; index < columns.ends.length; index++) {
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
  const texts = Buffer.from(row.events.buffer, row.events.byteOffset, row.events.byteLength).toString('utf8').split('\n')
  return unpackItems(row).map((item, index) => ({ ...item, event: texts[index] as string }))
}

/** As `unpackEvents`, without the events' own JSON. */
export function unpackItems(row: Pick<EventPackRow, 'first_seq' | 'heads' | 'items'>): Omit<RelayEvent, 'event'>[] {
  const heads = readHeads(row).map(factsOf)
  const first = Number(row.first_seq)
  return (JSON.parse(row.items) as Item[]).map(([offset, head, receivedAt, messageId]) => ({ seq: first + offset, messageId, receivedAt, ...(heads[head] as ReturnType<typeof factsOf>) }))
}

/** The kinds of events that a pack holds. */
export function readHeads(row: Pick<EventPackRow, 'heads'>): EventHead[] {
  return JSON.parse(row.heads) as EventHead[]
}

/** A pack while it is filled. */
class OpenPack {
  readonly #columns: EventColumns
  readonly #indexes: number[] = []
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

  takes(index: number): boolean {
    const [first] = this.#indexes
    return first === undefined || (index - first < PACK_SPAN && this.#bytes + this.#bytesOf(index) <= MOST_BYTES)
  }

  add(index: number): void {
    this.#headOf.push(this.#placeOf(this.#columns.headOf[index] as number))
    this.#indexes.push(index)
    this.#bytes += this.#bytesOf(index)
  }

  close(first: number): EventPackRow {
    const { receivedAts, messageIds } = this.#columns
    const [start] = this.#indexes as [number]
    const items = this.#indexes.map((index, at): Item => [index - start, this.#headOf[at] as number, receivedAts[index] as number, messageIds[index] as string])
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

  #bytesOf(index: number): number {
    return (this.#columns.ends[index] as number) - (this.#columns.ends[index - 1] ?? 0)
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
    const { texts, ends } = this.#columns
    const [start] = this.#indexes as [number]
    const end = this.#indexes.at(-1) as number
    if (end - start + 1 === this.#indexes.length) return texts.subarray(ends[start - 1] ?? 0, ends[end])
    return Buffer.concat(this.#indexes.flatMap((index) => [textAt(this.#columns, index), LINE_END]))
  }
}

const LINE_END = Buffer.from('\n')

function unionOf(heads: EventHead[]): string {
  return destinationsText([...new Set(heads.flatMap(({ destinations }) => readDestinations(destinations)))])
}
