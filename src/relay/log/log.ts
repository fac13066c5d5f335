import type { RelayCursor, RelayCursorUpdate } from '../../store/relay/relay-cursors.ts'
import type { RelayCounterStep } from '../../store/relay/relay-counters.ts'
import type { DeadLetter } from '../../store/relay/dead-letters.ts'
import type { NewEvent } from '../../store/relay/relay-event.ts'
import type { RelayEventPage } from '../../store/relay/relay-events.ts'

export type { NewEvent } from '../../store/relay/relay-event.ts'

/** What became of one event of an append: `duplicate` when its source and message_id are in the log already. */
export type AppendResult = 'stored' | 'duplicate'

/** The right to deliver to one destination. */
export interface Lease {
  destinationId: number
  token: string
}

/** What a worker has to tell about its destination, all or nothing. */
export interface Settlement extends RelayCursorUpdate {
  counters?: RelayCounterStep[]
  deadLetters?: Omit<DeadLetter, 'id'>[]
}

/**
 * The append-only log of relayed events, and how far each destination is with it.
 * Nothing outside `relay/log/` knows which engine runs.
 */
export interface RelayLog {
  /**
   * Stores the events of one request, all or none; resolves when they are on disk.
   * @throws SignalbookError `unavailable` with `retryAfterSeconds` when they cannot be stored now
   */
  append(events: NewEvent[]): Promise<AppendResult[]>
  /** The events after a position that go to one destination, in order. */
  read(query: { destinationId: number; after: number; limit: number }): Promise<RelayEventPage>
  /** The number of the newest event. */
  lastSequence(): Promise<number>
  /** Takes the lease of a destination, its cursor made if there is none. @returns `undefined` while another holds it */
  claim(lease: Lease, holdMs: number): Promise<RelayCursor | undefined>
  /** @returns false when another took the lease over */
  renew(lease: Lease, holdMs: number): Promise<boolean>
  release(lease: Lease): Promise<void>
  /** Moves the cursor and writes counters and dead letters in one transaction. @returns false, with nothing written, for a stale token */
  settle(lease: Lease, settlement: Settlement): Promise<boolean>
  /** Makes the cursors that are missing, so that nothing a destination still waits for is pruned. */
  ensureCursors(destinationIds: number[]): Promise<void>
  /** The destinations that the log keeps a cursor for. */
  knownDestinations(): Promise<number[]>
  /** Drops cursor and counters of a destination that is gone. */
  forget(destinationId: number): Promise<void>
  /** Deletes events that are older than the retention and past every cursor. @returns how many */
  prune(retentionMs: number): Promise<number>
  /** Calls back after each commit of this process with the destinations that got something. @returns how to stop listening */
  onGrown(listener: (destinationIds: ReadonlySet<number>) => void): () => void
  /** Tells the listeners of events that were written past `append`, by a replay or a release. */
  announce(destinationIds: Iterable<number>): void
  /** Waits for the commit under way; later appends are refused. */
  close(): Promise<void>
}
