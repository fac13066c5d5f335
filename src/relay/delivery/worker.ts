import { SECOND } from '../../duration.ts'
import type { Destination } from '../../store/destinations.ts'
import type { RelayLog } from '../log/log.ts'
import { createAlarm, createWaits } from './alarm.ts'
import { openChannel } from './channel.ts'
import { runSession } from './session.ts'
import type { WorkerDeps, WorkerState, WorkerTiming } from './worker-state.ts'

const TIMING: WorkerTiming = {
  leaseMs: 10 * SECOND,
  pollMs: SECOND,
  // The whole process has 10 s to end, and up to 3 of them go to requests under way.
  drainMs: 5 * SECOND,
}

/** Delivers to one destination, as it was when the worker started; a change needs a new worker. */
export interface Worker {
  /** There may be something to read. */
  wake(): void
  /** Attempts everything that waits at once. */
  flush(): void
  /** Finishes what is in flight, settles it and gives the lease back. */
  stop(): Promise<void>
}

/** Starts delivering to a destination as soon as its lease is free. */
export function startWorker(deps: WorkerDeps, destination: Destination): Worker {
  const state: WorkerState = {
    destination,
    lease: { destinationId: destination.id, token: deps.newId() },
    timing: { ...TIMING, ...deps.timing },
    alarm: createAlarm(),
    backoffs: createWaits(),
    abort: new AbortController(),
    isStopping: false,
    isFlushed: false,
    hasNews: true,
  }
  const running = run(deps, state)
  return {
    wake() {
      state.hasNews = true
      state.alarm.ring()
    },
    flush() {
      state.isFlushed = true
      state.hasNews = true
      state.backoffs.cutShort()
      state.alarm.ring()
    },
    async stop() {
      state.isStopping = true
      state.backoffs.cutShort()
      state.alarm.ring()
      const impatience = setTimeout(() => state.abort.abort(), state.timing.drainMs)
      await running
      clearTimeout(impatience)
    },
  }
}

async function run(deps: WorkerDeps, state: WorkerState): Promise<void> {
  const { destination, lease, timing } = state
  while (!state.isStopping) {
    try {
      const cursor = await deps.log.claim(lease, timing.leaseMs)
      if (cursor) {
        const end = await deliver(deps, state, cursor)
        await deps.log.release(lease)
        // Only another generation of the destination ends a halt, and that gets a worker of its own.
        if (end === 'halted') return
      }
    } catch (error) {
      deps.logger.warn({ err: error, destination: destination.name }, 'delivery was interrupted and will go on')
    }
    if (!state.isStopping) await state.alarm.sleep(timing.pollMs)
  }
}

async function deliver(deps: WorkerDeps, state: WorkerState, cursor: NonNullable<Awaited<ReturnType<RelayLog['claim']>>>): Promise<'ended' | 'halted'> {
  const { destination } = state
  if (destination.pausedAt !== undefined || cursor.haltedGeneration === destination.generation) return 'halted'
  const channel = await openChannel(deps, state)
  if (channel.kind === 'refused') {
    const halted = { generation: destination.generation, reason: channel.message, at: deps.now() }
    await deps.log.settle(state.lease, { halted, failingSince: null, lastError: { message: channel.message, at: deps.now() } })
    return 'halted'
  }
  try {
    return await runSession(deps, state, cursor, channel)
  } finally {
    await channel.close()
  }
}
