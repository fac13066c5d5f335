/** What was decided about an event when it came in; `discarded` is a quarantined one that an admin gave up. */
export type Verdict = 'accepted' | 'quarantined' | 'sampled_out' | 'discarded'

/** An event of the log. */
export interface RelayEvent {
  seq: number
  source: string
  messageId: string
  type: string
  eventName: string | undefined
  verdict: Verdict
  /** Ids of the destinations, frozen when the event was accepted. */
  destinationIds: number[]
  /** `namespace/name@version` that judged it. */
  spec: string | undefined
  violations: unknown[] | undefined
  /** Epoch milliseconds. */
  receivedAt: number
  /** The canonical event as JSON, or where its call stands in a request. `eventOf` and `jsonOf` of the relay read both. */
  event: string | RequestItem
}

/** The place of a call in a request that is kept as it came. */
export interface RequestItem {
  request: KeptRequest
  /** Counted from 0; of a single call 0. */
  item: number
  /** Once it was read: the event that is delivered, and its JSON. */
  known?: unknown
  json?: string
}

/** A request that is kept as it came, once for all its events. */
export interface KeptRequest {
  /** On one line, without the line feed. */
  line: Buffer
}

/** An event on its way into the log, which gives it its number. */
export type NewEvent = Omit<RelayEvent, 'seq'> & {
  /** Set when its message_id was made for it: what all ids made for its request begin with. */
  idPrefix?: string | undefined
  /** Set on a replay: it carries the message_id of an event that is in the log already, and is no duplicate. */
  isReplay?: true
}
