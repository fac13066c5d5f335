import { SECOND } from '../../duration.ts'
import type { RelayCursor } from '../../store/relay/relay-cursors.ts'
import type { RelayAttempt } from '../../store/relay/relay-attempts.ts'
import type { PendingEvent } from './pending-event.ts'
import { attemptOf, finishedPrefix, lowWater } from './settlement.ts'
import type { WorkerDeps, WorkerState } from './worker-state.ts'

// Writing the cursor for every event of other destinations would cost a commit each.
const IDLE_SETTLE_POSITIONS = 1000
const IDLE_SETTLE_MS = 10 * SECOND
const STORE_RETRY_MS = SECOND

/** Keeps a session's lease and writes down its progress, one write at a time, while deliveries go on. */
export interface Bookkeeper {
  /** False once another worker took the destination over. */
  hasLease(): boolean
  /** A worker that slept past its lease must not send: another may have begun. */
  mayStillSend(): boolean
  /** Takes the finished events off the front of the window as soon as they are stored. */
  settle(window: PendingEvent[], readPosition: number, options: { isForced: boolean }): void
  renewWhenDue(): void
  msToRenewal(): number
  /** Notes a failure of the moment. @returns since when the destination has been failing */
  failed(message: string, events: PendingEvent[]): number
  /** Has attempts written down that failed for another reason than the moment's. */
  note(events: Iterable<PendingEvent>): void
  succeeded(): void
  /** Writes the last progress, and why the destination was halted. */
  finish(window: PendingEvent[], readPosition: number, haltedReason: string | undefined): Promise<void>
}

export function createBookkeeper(deps: WorkerDeps, state: WorkerState, cursor: RelayCursor): Bookkeeper {
  const { log, attempts, now, logger } = deps
  const { destination, lease, timing, alarm } = state
  let hasLease = true
  let leaseUntil = now() + timing.leaseMs
  let settledPosition = cursor.position
  let settledAt = now()
  let failingSince = cursor.failingSince
  let isFailureStored = failingSince !== undefined
  let storing: Promise<void> | undefined
  /** Events whose last failed attempt is not written down yet. */
  const unwritten = new Set<PendingEvent>()

  /** @param work answers false when the lease is lost */
  function store(work: () => Promise<boolean>): void {
    storing = work()
      .then((isHeld) => {
        if (isHeld) return
        hasLease = false
        logger.info({ destination: destination.name }, 'another process took the delivery over')
        state.backoffs.cutShort()
      })
      .catch(async (error: unknown) => {
        logger.warn({ err: error, destination: destination.name }, 'progress of the delivery could not be stored yet')
        await state.backoffs.wait(STORE_RETRY_MS)
      })
      .finally(() => {
        storing = undefined
        alarm.ring()
      })
  }

  /** Writes attempts down: the given ones and those of events that are still tried. @returns false when the lease is lost */
  async function record(final: RelayAttempt[]): Promise<boolean> {
    const noted = [...unwritten]
    const done = new Set(final.map((attempt) => attempt.seq))
    const open = noted.filter((event) => !done.has(event.row.seq)).map((event) => attemptOf(destination, event))
    if (!(await attempts.record(lease, [...final, ...open]))) return false
    for (const event of noted) unwritten.delete(event)
    return true
  }

  async function untilStored(): Promise<void> {
    while (storing) await storing
  }

  const self: Bookkeeper = {
    hasLease: () => hasLease,
    mayStillSend: () => hasLease && now() < leaseUntil,

    settle(window, readPosition, { isForced }) {
      if (storing) return
      const { count, attempts: final, settlement } = finishedPrefix(destination, window, readPosition, now())
      const idle = lowWater(window, readPosition) - settledPosition
      const isIdleDue = idle > 0 && (isForced || idle >= IDLE_SETTLE_POSITIONS || now() - settledAt >= IDLE_SETTLE_MS)
      if (count === 0 && !isIdleDue && unwritten.size === 0) return
      const heals = isFailureStored && failingSince === undefined
      store(async () => {
        if (!(await record(final))) return false
        if (!(await log.settle(lease, { ...settlement, ...(heals ? { failingSince: null } : {}) }))) return false
        const { length: dead } = settlement.deadLetters
        deps.meter.settled(destination.name, { delivered: count - dead, dead })
        window.splice(0, count)
        settledPosition = settlement.position
        settledAt = now()
        if (heals) isFailureStored = false
        return true
      })
    },

    renewWhenDue() {
      if (storing || self.msToRenewal() > 0) return
      store(async () => {
        const until = now() + timing.leaseMs
        if (!(await log.renew(lease, timing.leaseMs))) return false
        leaseUntil = until
        return true
      })
    },

    // Two tries fit in before the lease runs out.
    msToRenewal: () => leaseUntil - now() - timing.leaseMs * (2 / 3),

    note(events) {
      for (const event of events) unwritten.add(event)
    },

    failed(message, events) {
      const since = (failingSince ??= now())
      self.note(events)
      deps.meter.retried(destination.name, events.length)
      logger.debug({ destination: destination.name, reason: message }, 'a delivery failed and will be tried again')
      // Left out while another write is under way: the next failure of a destination that keeps failing is stored.
      if (!storing) {
        store(async () => {
          if (!(await record([]))) return false
          const isHeld = await log.settle(lease, { failingSince: since, lastError: { message, at: now() } })
          isFailureStored ||= isHeld
          return isHeld
        })
      }
      return since
    },

    succeeded() {
      failingSince = undefined
    },

    async finish(window, readPosition, haltedReason) {
      await untilStored()
      if (!hasLease) return
      self.settle(window, readPosition, { isForced: true })
      await untilStored()
      if (haltedReason === undefined || !hasLease) return
      logger.warn({ destination: destination.name, reason: haltedReason }, 'a destination refused its credentials or settings; its events wait until it is changed or resumed')
      const at = now()
      await log.settle(lease, { halted: { generation: destination.generation, reason: haltedReason, at }, failingSince: null, lastError: { message: haltedReason, at } })
    },
  }
  return self
}
