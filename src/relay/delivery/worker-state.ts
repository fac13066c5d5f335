import type { LocalEnvironment } from '../../destinations/destination.ts'
import type { Sender } from '../../outgoing/send.ts'
import type { Destination } from '../../store/destinations.ts'
import type { Logger } from '../logger.ts'
import type { Lease, RelayLog } from '../log/log.ts'
import type { Alarm, Waits } from './alarm.ts'
import type { AttemptJournal } from './attempt-journal.ts'

/** What the delivery to a destination needs from outside. */
export interface WorkerDeps {
  log: RelayLog
  attempts: AttemptJournal
  meter: DeliveryMeter
  send: Sender['send']
  /** Epoch milliseconds. */
  now: () => number
  random: () => number
  newId: () => string
  logger: Logger
  /** How long a failing delivery is retried, as the settings say now. */
  retryForMs: () => number
  environment: LocalEnvironment
  timing?: Partial<WorkerTiming>
}

/** Counts for the metrics. */
export interface DeliveryMeter {
  settled(destination: string, count: { delivered: number; dead: number }): void
  retried(destination: string, events: number): void
}

export interface WorkerTiming {
  /** A dead worker's destination is taken over after this long. */
  leaseMs: number
  /** How often a worker that waits looks whether it can go on. */
  pollMs: number
  /** How long `stop` waits for requests in flight. */
  drainMs: number
}

/** What a session and its worker share. */
export interface WorkerState {
  destination: Destination
  lease: Lease
  timing: WorkerTiming
  alarm: Alarm
  backoffs: Waits
  abort: AbortController
  isStopping: boolean
  /** Set by a flush and taken by the session: incomplete batches go at once, throttles end. */
  isFlushed: boolean
  /** Set when the log may have grown. */
  hasNews: boolean
}
