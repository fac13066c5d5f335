import { SECOND } from '../../duration.ts'
import type { RelayCursor } from '../../store/relay/relay-cursors.ts'
import { MAX_RETRY_AFTER_MS } from './backoff.ts'
import { createBookkeeper } from './bookkeeper.ts'
import type { Channel } from './channel.ts'
import { deliverBatch } from './deliver-batch.ts'
import { continueAttempts, isFinished, prepare } from './pending-event.ts'
import type { PendingEvent, PendingItem } from './pending-event.ts'
import { takeBatch } from './take-batch.ts'
import type { WorkerDeps, WorkerState } from './worker-state.ts'

/** Bounds the memory that a destination can hold: at 32 KB an event, 96 MB. */
const MAX_WINDOW = 3000
const MIN_WINDOW = 200
const READ_RETRY_MS = SECOND
const SHORTEST_SLEEP_MS = 10

/**
 * Delivers under one lease: reads, sends several requests at once, settles what is finished; until the worker stops, the lease
 * is lost, or the destination refuses its credentials or settings.
 */
export async function runSession(deps: WorkerDeps, state: WorkerState, cursor: RelayCursor, channel: Channel): Promise<'ended' | 'halted'> {
  const { log, now, logger } = deps
  const { destination, alarm } = state
  const { limits } = channel
  const books = createBookkeeper(deps, state, cursor)
  /** What was read and is not settled, in the order of the log. */
  const window: PendingEvent[] = []
  const inFlight = new Set<Promise<void>>()
  const triedBefore = await deps.attempts.unfinishedAfter(destination.id, cursor.position)
  let readPosition = cursor.position
  let throttledUntil = 0
  let lingerUntil = 0
  let isForced = false
  let isTaking = false
  let haltedReason: string | undefined

  /** How many events the window may hold. */
  function windowSize(): number {
    // As many requests as fly at once, and two more that are ready: with fewer, the destination and this process wait for each other.
    // One that takes nothing gets no more read for it than it needs to show that it does again.
    const requests = isTaking ? limits.concurrency + 2 : 2
    return Math.min(MAX_WINDOW, Math.max(MIN_WINDOW, limits.items * requests))
  }

  const isEnding = (): boolean => state.isStopping || haltedReason !== undefined || !books.hasLease()

  function obeyFlush(): void {
    if (!state.isFlushed) return
    state.isFlushed = false
    isForced = true
    throttledUntil = 0
  }

  async function readMore(): Promise<boolean> {
    // Reading half a window at a time keeps the reads few and the window filled.
    const most = windowSize()
    if (!state.hasNews || window.length > most / 2) return false
    state.hasNews = false
    const page = await log.read({ destinationId: destination.id, after: readPosition, limit: most - window.length })
    if (countWaiting(window) === 0) lingerUntil = now() + limits.lingerMs
    for (const row of page.events) {
      const event = prepare({ ...channel, now }, row)
      continueAttempts(event, triedBefore.get(row.seq))
      window.push(event)
    }
    const isGrown = page.scannedTo > readPosition
    readPosition = page.scannedTo
    state.hasNews ||= isGrown
    return isGrown
  }

  function launchAll(): void {
    if (now() < throttledUntil) return
    if (!isForced && now() < lingerUntil && countWaiting(window) < limits.items) return
    while (inFlight.size < limits.concurrency && !isEnding() && books.mayStillSend()) {
      const batch = takeBatch(window, limits)
      if (batch.length === 0) return
      launch(batch)
    }
  }

  function launch(batch: PendingItem[]): void {
    const sending = deliverBatch(
      {
        transmit: channel.transmit,
        isStopping: () => isEnding() || !books.mayStillSend(),
        wait: (delayMs) => state.backoffs.wait(delayMs),
        onRetry({ message, events, afterMs = 0 }) {
          isTaking = false
          // What a vendor asks for counts for the destination and not for one request.
          if (afterMs > 0) throttledUntil = Math.max(throttledUntil, now() + Math.min(afterMs, MAX_RETRY_AFTER_MS))
          return books.failed(message, events)
        },
        onSuccess() {
          isTaking = true
          books.succeeded()
        },
        now,
        random: deps.random,
        retryForMs: deps.retryForMs,
      },
      batch,
    )
    const done = sending.then((end) => {
      for (const item of batch) if (item.state === 'in_flight') item.state = 'waiting'
      if (end.kind === 'halted') {
        haltedReason ??= end.message
        books.note(batch.map((item) => item.owner).filter((event) => !isFinished(event)))
        state.backoffs.cutShort()
      }
      inFlight.delete(done)
      alarm.ring()
    })
    inFlight.add(done)
  }

  function sleepMs(): number {
    const waits = [books.msToRenewal(), ...[throttledUntil, lingerUntil].map((until) => until - now()).filter((ms) => ms > 0)]
    return Math.max(SHORTEST_SLEEP_MS, Math.min(state.timing.pollMs, ...waits))
  }

  if (cursor.haltedGeneration !== undefined) await log.settle(state.lease, { halted: null })
  while (!isEnding()) {
    obeyFlush()
    let isGrown = false
    try {
      isGrown = await readMore()
    } catch (error) {
      state.hasNews = true
      logger.warn({ err: error, destination: destination.name }, 'the log could not be read; delivery goes on when it can')
      await state.backoffs.wait(READ_RETRY_MS)
    }
    launchAll()
    books.settle(window, readPosition, { isForced })
    books.renewWhenDue()
    if (isGrown) continue
    if (countWaiting(window) === 0) isForced = false
    await alarm.sleep(sleepMs())
  }
  await Promise.all(inFlight)
  await books.finish(window, readPosition, haltedReason)
  return haltedReason === undefined ? 'ended' : 'halted'
}

function countWaiting(window: readonly PendingEvent[]): number {
  return window.reduce((count, event) => count + event.items.filter((item) => item.state === 'waiting').length, 0)
}
