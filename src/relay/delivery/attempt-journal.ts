import type { Database } from '../../store/db.ts'
import { updateCursor } from '../../store/relay/relay-cursors.ts'
import { deleteAttemptsBefore, keepNewestDelivered, listOpenAttempts, upsertAttempts } from '../../store/relay/relay-attempts.ts'
import type { RelayAttempt } from '../../store/relay/relay-attempts.ts'
import { findFirstAcceptedSequence } from '../../store/relay/relay-event-search.ts'
import { deleteReplaysBefore } from '../../store/relay/relay-replays.ts'
import type { Lease } from '../log/log.ts'

/**
 * Remembers what became of events that a destination did not take at once. Events that are delivered by their first attempt,
 * nearly all of them, cost it nothing.
 */
export interface AttemptJournal {
  /** Written before the settlement that it belongs to; writing it again changes nothing. @returns false for a stale token */
  record(lease: Lease, attempts: RelayAttempt[]): Promise<boolean>
  /** What earlier sessions tried in vain after a position, by the number of the event. */
  unfinishedAfter(destinationId: number, position: number): Promise<ReadonlyMap<number, RelayAttempt>>
  /** Forgets what belongs to events that are no longer in the log. */
  prune(): Promise<void>
}

// No destination has more events than that under way at once.
const MOST_OPEN = 5000
// Of about 200 bytes each. A vendor that refuses every tenth attempt would otherwise fill the log's file a second time.
const MOST_DELIVERED = 100_000

export function createAttemptJournal(db: Database): AttemptJournal {
  return {
    async record(lease, attempts) {
      if (attempts.length === 0) return true
      return db.knex.transaction(async (tx) => {
        // An update of nothing: it proves the lease and takes the write lock.
        if (!(await updateCursor(tx, lease, {}))) return false
        await upsertAttempts(tx, attempts)
        return true
      })
    },
    async unfinishedAfter(destinationId, position) {
      const open = await listOpenAttempts(db.knex, { destinationId, after: position, limit: MOST_OPEN })
      return new Map(open.map((attempt) => [attempt.seq, attempt]))
    },
    async prune() {
      const first = await findFirstAcceptedSequence(db.knex)
      await deleteAttemptsBefore(db.knex, first)
      await deleteReplaysBefore(db.knex, first)
      await keepNewestDelivered(db.knex, MOST_DELIVERED)
    },
  }
}
