import { setTimeout as pause } from 'node:timers/promises'
import { invalid } from '../../error.ts'
import type { SnapshotHolder } from '../../snapshot/snapshot.ts'
import type { Database } from '../../store/db.ts'
import type { Destination } from '../../store/destinations.ts'
import { listCounters } from '../../store/relay/relay-counters.ts'
import { listCursors } from '../../store/relay/relay-cursors.ts'
import { raiseFlushMark } from '../../store/relay/relay-flush-mark.ts'
import { readLastSequence } from '../../store/relay/relay-sequence.ts'

export interface FlushDeps {
  relayDb: Database
  snapshots: SnapshotHolder
  /** Has every worker of this process attempt at once what waits; those of other processes see the mark. */
  flushDeliveries: (mark: number) => void
  now: () => number
}

/** What a flush did at one destination. */
export interface FlushedDestination {
  destination: string
  delivered: number
  failed: number
  pending: number
}

const LOOK_MS = 25

/**
 * Has everything that is buffered attempted at once.
 * @param input `source` limits what is counted to one source; with `waitMs` it answers when the events buffered at the call are
 * settled, or then. Paused and halted destinations are not waited for.
 * @returns `pending`: what waited at the call, or what still waits after waiting
 * @throws SignalbookError `invalid_request` for an unknown source
 */
export async function flush(deps: FlushDeps, input: { source?: string | undefined; waitMs?: number | undefined }): Promise<{ pending: number; destinations: FlushedDestination[] }> {
  const snapshot = await deps.snapshots.current()
  const source = input.source === undefined ? undefined : snapshot.source(input.source)
  if (input.source !== undefined && !source) throw invalid(`source "${input.source.slice(0, 100)}" is not registered; register it with POST /v1/admin/sources`)
  const last = await readLastSequence(deps.relayDb.knex)
  const before = await readTotals(deps, source?.name)
  deps.flushDeliveries(await raiseFlushMark(deps.relayDb))
  const concerned = snapshot.destinations().filter((each) => !source || source.destinations.includes(each.name) || totalOf(before, each).pending > 0)
  if (input.waitMs !== undefined) await waitUntilSettled(deps, { source: source?.name, last, concerned, until: deps.now() + input.waitMs })
  const after = input.waitMs === undefined ? before : await readTotals(deps, source?.name)
  const destinations = concerned.map((each): FlushedDestination => {
    const [was, is] = [totalOf(before, each), totalOf(after, each)]
    return { destination: each.name, delivered: is.delivered - was.delivered, failed: Math.max(0, is.dead - was.dead), pending: is.pending }
  })
  return { pending: destinations.reduce((sum, each) => sum + each.pending, 0), destinations }
}

interface Totals {
  delivered: number
  dead: number
  pending: number
}

async function readTotals(deps: FlushDeps, source: string | undefined): Promise<Map<number, Totals>> {
  const totals = new Map<number, Totals>()
  for (const counter of await listCounters(deps.relayDb.knex, source === undefined ? {} : { source })) {
    const total = totals.get(counter.destinationId) ?? { delivered: 0, dead: 0, pending: 0 }
    total.delivered += counter.delivered
    total.dead += counter.dead
    total.pending += counter.accepted - counter.delivered - counter.dead
    totals.set(counter.destinationId, total)
  }
  return totals
}

function totalOf(totals: Map<number, Totals>, destination: Destination): Totals {
  return totals.get(destination.id) ?? { delivered: 0, dead: 0, pending: 0 }
}

async function waitUntilSettled(deps: FlushDeps, input: { source: string | undefined; last: number; concerned: Destination[]; until: number }): Promise<void> {
  for (;;) {
    const totals = await readTotals(deps, input.source)
    const cursors = new Map((await listCursors(deps.relayDb.knex)).map((cursor) => [cursor.destinationId, cursor]))
    const isWaitedFor = (destination: Destination): boolean => {
      const cursor = cursors.get(destination.id)
      const isStopped = destination.pausedAt !== undefined || cursor?.haltedGeneration === destination.generation
      return !isStopped && totalOf(totals, destination).pending > 0 && (cursor?.position ?? 0) < input.last
    }
    const remainingMs = input.until - deps.now()
    if (remainingMs <= 0 || !input.concerned.some(isWaitedFor)) return
    await pause(Math.min(LOOK_MS, remainingMs))
  }
}
