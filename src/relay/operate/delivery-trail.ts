import type { Destination } from '../../store/destinations.ts'
import { listDeadLetters } from '../../store/relay/dead-letters.ts'
import type { DeadLetter } from '../../store/relay/dead-letters.ts'
import { listAttempts } from '../../store/relay/relay-attempts.ts'
import type { RelayAttempt } from '../../store/relay/relay-attempts.ts'
import { listCursors } from '../../store/relay/relay-cursors.ts'
import type { RelayCursor } from '../../store/relay/relay-cursors.ts'
import { listReplaysAround } from '../../store/relay/relay-replays.ts'
import type { RelayReplay } from '../../store/relay/relay-replays.ts'
import type { OperateDeps } from './deliveries.ts'

/**
 * How far an event is with one destination.
 * `delivered`, which includes what the destination leaves out on purpose · `pending`: not tried yet · `retrying` · `halted`: the
 * destination is paused or refused its credentials · `dead_letter` · `replayed`: was a dead letter, goes on as `replayedAs` ·
 * `discarded`: was a dead letter that an operator gave up · `removed`: the destination is gone
 */
export type DeliveryTrailState = 'delivered' | 'pending' | 'retrying' | 'halted' | 'dead_letter' | 'replayed' | 'discarded' | 'removed'

/** What is known of one event at one destination. Times are epoch milliseconds. */
export interface DeliveryTrail {
  /** `undefined` when the destination is gone. */
  destination: string | undefined
  state: DeliveryTrailState
  attempts: number
  /** Of the last attempt; not kept of events that were delivered at once. */
  lastStatus: number | undefined
  lastDurationMs: number | undefined
  lastAttemptAt: number | undefined
  /** What the last failed attempt was told, or why it is a dead letter or halted. */
  message: string | undefined
  deadLetterId: number | undefined
  replayedAs: number | undefined
}

/** What the database knows about the deliveries of some events. */
export interface Evidence {
  destinations: ReadonlyMap<number, Destination>
  cursors: ReadonlyMap<number, RelayCursor>
  attempts: ReadonlyMap<string, RelayAttempt>
  letters: ReadonlyMap<string, DeadLetter>
  replays: RelayReplay[]
}

/** Reads what is known, in a few questions however many events there are. */
export async function gatherEvidence(deps: OperateDeps, sequences: number[]): Promise<Evidence> {
  const db = deps.relayDb.knex
  // The cursors first: what settles after them shows as on its way, and not as delivered without its dead letter.
  const cursors = await listCursors(db)
  const attempts = await listAttempts(db, sequences)
  const letters = sequences.length === 0 ? [] : await listDeadLetters(db, { sequences, limit: Number.MAX_SAFE_INTEGER })
  const replays = await listReplaysAround(db, sequences)
  const destinations = (await deps.snapshots.current()).destinations()
  return {
    destinations: new Map(destinations.map((destination) => [destination.id, destination])),
    cursors: new Map(cursors.map((cursor) => [cursor.destinationId, cursor])),
    attempts: new Map(attempts.map((attempt) => [keyOf(attempt.seq, attempt.destinationId), attempt])),
    letters: new Map(letters.map((letter) => [keyOf(letter.seq, letter.destinationId), letter])),
    replays,
  }
}

/** Puts together what became of an event at one of its destinations. */
export function trailAt(evidence: Evidence, seq: number, destinationId: number): DeliveryTrail {
  const attempt = evidence.attempts.get(keyOf(seq, destinationId))
  const letter = evidence.letters.get(keyOf(seq, destinationId))
  const { state, reason } = stateAt(evidence, seq, destinationId)
  return {
    destination: evidence.destinations.get(destinationId)?.name ?? letter?.destination,
    state,
    attempts: attempt?.attempts ?? letter?.attempts ?? (state === 'delivered' ? 1 : 0),
    lastStatus: attempt?.status,
    lastDurationMs: attempt?.durationMs,
    lastAttemptAt: attempt?.attemptedAt,
    message: reason ?? attempt?.message ?? letter?.reason,
    deadLetterId: letter?.id,
    replayedAs: replayOf(evidence, seq, destinationId)?.seq,
  }
}

function stateAt(evidence: Evidence, seq: number, destinationId: number): { state: DeliveryTrailState; reason?: string | undefined } {
  const attempt = evidence.attempts.get(keyOf(seq, destinationId))
  const destination = evidence.destinations.get(destinationId)
  const cursor = evidence.cursors.get(destinationId)
  if (evidence.letters.has(keyOf(seq, destinationId))) return { state: 'dead_letter' }
  if (replayOf(evidence, seq, destinationId)) return { state: 'replayed' }
  if (!destination) return { state: 'removed' }
  const isSettled = seq <= (cursor?.position ?? 0)
  // Its letter is gone, and it was not replayed. One whose letter is still to be written is on its way to it.
  if (attempt?.outcome === 'dead') return { state: isSettled ? 'discarded' : 'retrying' }
  if (isSettled || attempt?.outcome === 'delivered') return { state: 'delivered' }
  if (destination.pausedAt !== undefined) return { state: 'halted', reason: destination.pausedReason }
  if (cursor?.haltedGeneration === destination.generation) return { state: 'halted', reason: cursor.haltedReason }
  return { state: attempt ? 'retrying' : 'pending' }
}

/** The newest replay of an event for a destination. */
function replayOf(evidence: Evidence, seq: number, destinationId: number): RelayReplay | undefined {
  return evidence.replays.findLast((replay) => replay.originalSeq === seq && replay.destinationId === destinationId)
}

function keyOf(seq: number, destinationId: number): string {
  return `${seq} ${destinationId}`
}
