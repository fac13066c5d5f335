import type { Settlement } from '../log/log.ts'
import type { RelayAttempt } from '../../store/relay/relay-attempts.ts'
import { jsonOf } from '../kept-request.ts'
import { isFinished, isTroubled } from './pending-event.ts'
import type { PendingEvent } from './pending-event.ts'

/** What can be settled of a window, and how many of its events that covers. */
export interface FinishedPrefix {
  count: number
  /** The final outcome of those that were not delivered at once. */
  attempts: RelayAttempt[]
  settlement: Required<Pick<Settlement, 'position' | 'counters' | 'deadLetters'>> & Settlement
}

/**
 * Sums up the finished events at the beginning of a window. Events that finished behind an unfinished one wait: the cursor is
 * the oldest unfinished position, and what it has not passed is read again after a crash and must not be counted twice.
 * @param readPosition how far the log was read
 */
export function finishedPrefix(destination: { id: number; name: string }, window: readonly PendingEvent[], readPosition: number, now: number): FinishedPrefix {
  const firstUnfinished = window.findIndex((event) => !isFinished(event))
  const count = firstUnfinished === -1 ? window.length : firstUnfinished
  const finished = window.slice(0, count)
  const isAnyDelivered = finished.some((event) => !event.dead)
  return {
    count,
    attempts: finished.filter(isTroubled).map((event) => attemptOf(destination, event)),
    settlement: {
      position: lowWater(window.slice(count), readPosition),
      counters: finished.map((event) => ({
        source: event.row.source,
        destinationId: destination.id,
        ...(event.dead ? { dead: 1 } : { delivered: 1 }),
      })),
      deadLetters: finished.flatMap((event) => (event.dead ? [deadLetter(destination, event, event.dead, now)] : [])),
      ...(isAnyDelivered ? { lastDeliveredAt: now } : {}),
    },
  }
}

/** The position up to which nothing is unfinished. */
export function lowWater(unsettled: readonly PendingEvent[], readPosition: number): number {
  const [oldest] = unsettled
  return oldest ? oldest.row.seq - 1 : readPosition
}

/** What is to be remembered of an event's attempts. */
export function attemptOf(destination: { id: number }, event: PendingEvent): RelayAttempt {
  const { row, attempts, lastAttempt } = event
  return {
    seq: row.seq,
    destinationId: destination.id,
    outcome: event.dead ? 'dead' : isFinished(event) ? 'delivered' : 'retrying',
    attempts,
    status: lastAttempt?.status,
    durationMs: lastAttempt?.durationMs,
    message: event.dead?.message ?? lastAttempt?.message,
    attemptedAt: lastAttempt?.at,
  }
}

function deadLetter(destination: { id: number; name: string }, { row, attempts }: PendingEvent, dead: { code: string; message: string }, now: number) {
  return {
    seq: row.seq,
    destinationId: destination.id,
    destination: destination.name,
    source: row.source,
    messageId: row.messageId,
    type: row.type,
    eventName: row.eventName,
    code: dead.code,
    reason: dead.message,
    attempts,
    failedAt: now,
    receivedAt: row.receivedAt,
    event: jsonOf(row),
  }
}
