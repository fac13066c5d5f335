import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createSender } from '../../../src/outgoing/send.ts'
import { createDatabaseLog } from '../../../src/relay/log/database-log.ts'
import type { RelayLog } from '../../../src/relay/log/log.ts'
import { createAttemptJournal } from '../../../src/relay/delivery/attempt-journal.ts'
import { startWorker } from '../../../src/relay/delivery/worker.ts'
import type { WorkerDeps, WorkerTiming } from '../../../src/relay/delivery/worker-state.ts'
import type { Worker } from '../../../src/relay/delivery/worker.ts'
import { listDeadLetters } from '../../../src/store/relay/dead-letters.ts'
import type { DeadLetter } from '../../../src/store/relay/dead-letters.ts'
import type { Database } from '../../../src/store/db.ts'
import type { Destination } from '../../../src/store/destinations.ts'
import { listCounters } from '../../../src/store/relay/relay-counters.ts'
import { findCursor } from '../../../src/store/relay/relay-cursors.ts'
import type { EngineName } from '../../support/database.ts'
import { createRelayDatabase } from './relay-database.ts'
import { startReceiver } from './receiver.ts'
import type { Receiver } from './receiver.ts'

/** A relay of a test's own: database, log, receivers and workers, all closed by `close`. */
export interface Rig {
  db: Database
  log: RelayLog
  deps: WorkerDeps
  stdout: PassThrough
  clock: { offsetMs: number }
  openAnotherLog: () => RelayLog
  receiver: (answer?: Receiver['answer']) => Promise<Receiver>
  start: (destination: Destination, deps?: Partial<WorkerDeps>) => Worker
  deadLetters: () => Promise<DeadLetter[]>
  /** `accepted delivered dead` of a destination over all sources. */
  counts: (destinationId: number) => Promise<string>
  cursor: (destinationId: number) => ReturnType<typeof findCursor>
  close: () => Promise<void>
}

export const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** Short, so that what is waited for in real time comes soon. */
export const FAST: Partial<WorkerTiming> = { leaseMs: 600, pollMs: 50, drainMs: 300 }

export async function createRig(engine: EngineName): Promise<Rig> {
  const home = await createRelayDatabase(engine)
  const dataDirectory = await mkdtemp(join(tmpdir(), 'signalbook-data-'))
  const clock = { offsetMs: 0 }
  const now = (): number => Date.now() + clock.offsetMs
  const log = createDatabaseLog({ db: home.db, now })
  const sender = createSender({ allowPrivateNetworks: true })
  const stdout = new PassThrough()
  const receivers: Receiver[] = []
  const workers: Worker[] = []
  const logs: RelayLog[] = [log]
  const deps: WorkerDeps = {
    log, meter: { settled: () => undefined, retried: () => undefined }, attempts: createAttemptJournal(home.db), send: (request, signal) => sender.send(request, signal), now, newId: randomUUID, logger: SILENT, timing: FAST,
    // Full jitter at its lowest: retries follow at once.
    random: () => 0,
    retryForMs: () => 60_000,
    environment: { dataDirectory, stdout },
  }
  return {
    db: home.db, log, deps, stdout, clock,
    openAnotherLog() {
      const another = createDatabaseLog({ db: home.openAnother(), now })
      logs.push(another)
      return another
    },
    async receiver(answer) {
      const receiver = await startReceiver(answer)
      receivers.push(receiver)
      return receiver
    },
    start(destination, overrides = {}) {
      const worker = startWorker({ ...deps, ...overrides }, destination)
      workers.push(worker)
      const stop = log.onGrown((ids) => ids.has(destination.id) && worker.wake())
      return { ...worker, stop: () => (stop(), worker.stop()) }
    },
    deadLetters: async () => (await listDeadLetters(home.db.knex, { limit: 10_000 })).reverse(),
    async counts(destinationId) {
      const mine = (await listCounters(home.db.knex)).filter((counter) => counter.destinationId === destinationId)
      const sum = (key: 'accepted' | 'delivered' | 'dead') => mine.reduce((total, counter) => total + counter[key], 0)
      return `${sum('accepted')} ${sum('delivered')} ${sum('dead')}`
    },
    cursor: (destinationId) => findCursor(home.db.knex, destinationId),
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()))
      for (const each of logs) await each.close()
      for (const receiver of receivers) await receiver.close()
      sender.close()
      await home.remove()
      await rm(dataDirectory, { recursive: true, force: true })
    },
  }
}
