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
  /** The canonical event as JSON. */
  event: string
}

/** An event on its way into the log, which gives it its number. */
export type NewEvent = Omit<RelayEvent, 'seq'> & {
  /** Set on a replay: it carries the message_id of an event that is in the log already, and is no duplicate. */
  isReplay?: true
}
