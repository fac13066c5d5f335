import { MINUTE, SECOND } from '../../duration.ts'
import type { Snapshot, SnapshotHolder } from '../../snapshot/snapshot.ts'
import type { Destination } from '../../store/destinations.ts'
import { watchFlushes } from './flush-watch.ts'
import { startWorker } from './worker.ts'
import type { WorkerDeps } from './worker-state.ts'
import type { Worker } from './worker.ts'

export interface SupervisorDeps extends Omit<WorkerDeps, 'retryForMs'> {
  holder: SnapshotHolder
  /** How many flushes there were, in all processes. */
  flushMark: () => Promise<number>
  /** How often destinations are compared and the log of other processes is looked at. */
  syncMs?: number
  pruneMs?: number
}

/** Keeps one worker per destination. */
export interface Supervisor {
  /** Compares workers with destinations now, after a change; it happens every second anyway. */
  sync(): Promise<void>
  /** Attempts everything that waits, at every destination, at once. @param mark of the flush; one that was seen already is not done twice */
  flush(mark: number): void
  /** Lets every worker finish what it has in flight. */
  stop(): Promise<void>
}

interface Post {
  /** Tells the state of the destination that the worker was started for; `undefined` for one that is gone. */
  version: string | undefined
  worker: Worker | undefined
  /** Ends when the worker of the version before has stopped. */
  ready: Promise<void>
}

const SYNC_MS = SECOND
const PRUNE_MS = MINUTE

/** Starts delivering to every destination. */
export function startSupervisor(deps: SupervisorDeps): Supervisor {
  const { holder, log, logger } = deps
  const posts = new Map<number, Post>()
  let snapshot: Snapshot | undefined
  let lastSeen = 0
  let prunedAt = deps.now()
  let isStopped = false
  let syncing: Promise<void> = Promise.resolve()
  let syncsUnderWay = 0

  const workerDeps: WorkerDeps = {
    ...deps,
    // A worker only runs once there was a snapshot.
    retryForMs: () => (snapshot as Snapshot).settings.relayRetryForMs,
  }

  const stopListening = log.onGrown((destinationIds) => {
    for (const id of destinationIds) posts.get(id)?.worker?.wake()
  })

  async function compare(): Promise<void> {
    // Known ids are read before the snapshot: a destination that another process adds in between must not look like a removed one.
    const known = await log.knownDestinations()
    snapshot = await holder.current()
    const destinations = snapshot.destinations()
    const present = new Set(destinations.map((destination) => destination.id))
    await log.ensureCursors([...present].filter((id) => !known.includes(id)))
    for (const destination of destinations) employ(destination)
    for (const id of [...posts.keys()]) if (!present.has(id)) dismiss(id)
    for (const id of known) if (!present.has(id) && !posts.has(id)) await log.forget(id)
    const last = await log.lastSequence()
    if (last > lastSeen) for (const post of posts.values()) post.worker?.wake()
    lastSeen = last
    if (deps.now() - prunedAt >= (deps.pruneMs ?? PRUNE_MS)) {
      prunedAt = deps.now()
      await log.prune(snapshot.settings.relayRetentionMs)
      await deps.attempts.prune()
    }
  }

  function employ(destination: Destination): void {
    const version = `${destination.generation} ${destination.pausedAt ?? ''}`
    const before = posts.get(destination.id)
    if (before?.version === version) return
    const post: Post = { version, worker: undefined, ready: Promise.resolve() }
    posts.set(destination.id, post)
    post.ready = stopPost(before).then(() => {
      if (isStopped || posts.get(destination.id) !== post) return
      post.worker = startWorker(workerDeps, destination)
    })
  }

  function dismiss(id: number): void {
    const post = posts.get(id)
    if (post?.version === undefined) return
    // Stays listed until it has stopped, so that its cursor is dropped after its last settlement.
    const leaving: Post = { version: undefined, worker: undefined, ready: Promise.resolve() }
    posts.set(id, leaving)
    leaving.ready = stopPost(post).then(() => {
      if (posts.get(id) === leaving) posts.delete(id)
    })
  }

  async function stopPost(post: Post | undefined): Promise<void> {
    await post?.ready
    await post?.worker?.stop()
  }

  function sync(): Promise<void> {
    // One comparison at a time; a caller waits for one that began after its call.
    syncsUnderWay += 1
    syncing = syncing.then(async () => {
      try {
        if (!isStopped) await compare()
      } catch (error) {
        logger.warn({ err: error }, 'destinations could not be compared with their workers; it is tried again')
      } finally {
        syncsUnderWay -= 1
      }
    })
    return syncing
  }

  const flushes = watchFlushes({
    readMark: deps.flushMark,
    flush() {
      for (const post of posts.values()) post.worker?.flush()
    },
    logger,
  })
  void sync()
  const timer = setInterval(() => {
    if (syncsUnderWay === 0) void sync()
  }, deps.syncMs ?? SYNC_MS)

  return {
    sync,
    flush: (mark) => flushes.saw(mark),
    async stop() {
      isStopped = true
      clearInterval(timer)
      await flushes.stop()
      stopListening()
      await syncing
      await Promise.all([...posts.values()].map(stopPost))
    },
  }
}
