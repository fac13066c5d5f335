import type { Item, Result } from '../../destinations/destination.ts'
import type { Transmission } from './transmit.ts'
import { nextAttempt } from './backoff.ts'
import { resultsOf } from './outcome.ts'
import { kill } from './pending-event.ts'
import type { PendingItem, PendingEvent } from './pending-event.ts'

/** How a batch ended. `stopped` leaves items unfinished: they are sent again after the next start. */
export type BatchEnd = { kind: 'finished' } | { kind: 'stopped' } | { kind: 'halted'; code: string; message: string }

export interface DeliverBatchDeps {
  /** One request; never throws. */
  transmit: (items: Item[], attempt: number) => Promise<Transmission>
  /** True once no further attempt may begin. */
  isStopping: () => boolean
  /** Sleeps until the next attempt, or shorter when the worker is flushed or stopped. */
  wait: (delayMs: number) => Promise<void>
  /** Tells the worker that an attempt failed for the moment. @returns since when the destination has been failing */
  onRetry: (failure: { message: string; afterMs?: number; events: PendingEvent[] }) => number
  /** Tells the worker that items were delivered. */
  onSuccess: () => void
  now: () => number
  random: () => number
  retryForMs: () => number
}

/** Sends items until each is delivered or dead; only what is unfinished is sent again. */
export async function deliverBatch(deps: DeliverBatchDeps, batch: PendingItem[]): Promise<BatchEnd> {
  let items = batch
  for (let attempt = 1; ; attempt += 1) {
    if (deps.isStopping()) return { kind: 'stopped' }
    const sentAt = deps.now()
    const { outcome, status } = await deps.transmit(items.map((each) => each.item), attempt)
    for (const event of owners(items)) {
      event.attempts += 1
      event.lastAttempt = { at: sentAt, status, durationMs: deps.now() - sentAt, message: event.lastAttempt?.message }
    }
    if (outcome.kind === 'split' || outcome.kind === 'bisect') {
      if (items.length > 1) return deliverHalves(deps, items)
      rejectAll(items, outcome.kind === 'split' ? 'too_large' : 'rejected', outcome.message)
      return { kind: 'finished' }
    }
    const results = resultsOf(outcome, items.length)
    const halt = applyResults(items, results)
    if (results.some((result) => result.kind === 'ok')) deps.onSuccess()
    if (halt) return { kind: 'halted', code: halt.code, message: halt.message }
    const retries = results.filter((result) => result.kind === 'retry')
    const hasProgress = retries.length < items.length
    items = items.filter((each) => each.state !== 'done')
    const [first] = retries
    if (!first) return { kind: 'finished' }
    // Others of the request were refused, so the rest may pass at once; without progress that would be a loop.
    if (hasProgress && retries.every((result) => result.free)) continue
    const delayMs = nextDelay(deps, items, attempt, retries)
    items = items.filter((each) => each.state !== 'done')
    if (items.length === 0) return { kind: 'finished' }
    await deps.wait(delayMs)
  }
}

async function deliverHalves(deps: DeliverBatchDeps, items: PendingItem[]): Promise<BatchEnd> {
  // One half after the other: events of one user may be in both.
  const middle = Math.ceil(items.length / 2)
  const first = await deliverBatch(deps, items.slice(0, middle))
  return first.kind === 'finished' ? deliverBatch(deps, items.slice(middle)) : first
}

function applyResults(items: PendingItem[], results: Result[]): Extract<Result, { kind: 'halt' }> | undefined {
  let halt: Extract<Result, { kind: 'halt' }> | undefined
  items.forEach((item, index) => {
    const result = results[index] as Result
    if (result.kind !== 'ok' && item.owner.lastAttempt) item.owner.lastAttempt.message = result.message
    if (result.kind === 'ok') item.state = 'done'
    else if (result.kind === 'reject') kill(item.owner, { code: result.code, message: result.message })
    else if (result.kind === 'halt') halt ??= result
  })
  return halt
}

/** Kills the events whose time budget ends before the next attempt. @returns how long the others wait */
function nextDelay(deps: DeliverBatchDeps, items: PendingItem[], attempt: number, retries: Extract<Result, { kind: 'retry' }>[]): number {
  const { message } = retries[0] as { message: string }
  const afterMs = Math.max(...retries.map((result) => result.afterMs ?? 0))
  const destinationFailingSince = deps.onRetry({ message, events: [...owners(items)], ...(afterMs > 0 ? { afterMs } : {}) })
  // One draw for the whole batch: its items are sent together again.
  const drawn = deps.random()
  let delayMs = 0
  for (const event of owners(items)) {
    // An event that came during an outage has its whole budget; one that waited through it does not begin anew.
    event.failingSince ??= Math.max(event.row.receivedAt, destinationFailingSince)
    const next = nextAttempt({ attempt, afterMs, now: deps.now(), failingSince: event.failingSince, retryForMs: deps.retryForMs(), random: () => drawn })
    if (next.kind === 'give_up') kill(event, { code: 'expired', message: `given up after ${event.attempts} attempts; the last one failed: ${message}` })
    else delayMs = next.delayMs
  }
  return delayMs
}

function rejectAll(items: PendingItem[], code: string, message: string): void {
  for (const event of owners(items)) kill(event, { code, message })
}

function owners(items: PendingItem[]): Set<PendingEvent> {
  return new Set(items.map((each) => each.owner))
}
