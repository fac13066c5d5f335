import { SECOND } from '../../duration.ts'
import type { Database } from '../../store/db.ts'
import { addToCounters, deleteCounters } from '../../store/relay/relay-counters.ts'
import { deleteCursor, ensureCursor, findCursor, listCursors, releaseLease, renewLease, takeLease, updateCursor } from '../../store/relay/relay-cursors.ts'
import type { PackMemory } from '../../store/relay/event-packs.ts'
import { insertDeadLetters } from '../../store/relay/dead-letters.ts'
import { deleteOldRelayEvents, readRelayEvents } from '../../store/relay/relay-events.ts'
import { readLastSequence } from '../../store/relay/relay-sequence.ts'
import { appendGroup } from './append-group.ts'
import { createGroupCommit } from './group-commit.ts'
import type { AppendResult, NewEvent, RelayLog } from './log.ts'
import type { KeptRequest } from '../../store/relay/relay-event.ts'

export interface DatabaseLogDeps {
  db: Database
  /** Epoch milliseconds. */
  now: () => number
  /** Told of every group that was committed. */
  onCommitted?: (group: { events: number; ms: number }) => void
  limits?: { maxWaitingBytes?: number; maxGroupBytes?: number; commitTimeoutMs?: number }
}

const MIB = 1024 * 1024
// At 600 bytes an event this is a good 100,000 waiting events: several seconds of a database that does not answer.
const MAX_WAITING_BYTES = 64 * MIB
// Large enough that an fsync is a small part of a group's time, small enough that the answers of a group do not wait long.
const MAX_GROUP_BYTES = 2 * MIB
const COMMIT_TIMEOUT_MS = 10 * SECOND
const PRUNED_PER_STEP = 1000

/** The relay log in a database: SQLite's own file, or tables in MySQL. */
export function createDatabaseLog(deps: DatabaseLogDeps): RelayLog {
  const { db, now } = deps
  const memory: PackMemory = new Map()
  const listeners = new Set<(destinationIds: ReadonlySet<number>) => void>()

  function announce(destinationIds: Iterable<number>): void {
    const ids = new Set(destinationIds)
    if (ids.size > 0) for (const listener of listeners) listener(ids)
  }

  const commits = createGroupCommit<NewEvent[], AppendResult[]>({
    async commit(group) {
      const startedAt = performance.now()
      const outcome = await appendGroup(db, group)
      deps.onCommitted?.({ events: group.reduce((count, events) => count + events.length, 0), ms: performance.now() - startedAt })
      announce(outcome.destinationIds)
      return outcome.results
    },
    isUnavailable: (error) => db.dialect.isUnavailable(error),
    maxWaitingBytes: deps.limits?.maxWaitingBytes ?? MAX_WAITING_BYTES,
    maxGroupBytes: deps.limits?.maxGroupBytes ?? MAX_GROUP_BYTES,
    commitTimeoutMs: deps.limits?.commitTimeoutMs ?? COMMIT_TIMEOUT_MS,
  })

  return {
    async append(events) {
      if (events.length === 0) return []
      return commits.submit(events, bytesOf(events))
    },
    read: (query) => readRelayEvents(db.knex, query, memory),
    lastSequence: () => readLastSequence(db.knex),
    async claim(lease, holdMs) {
      await ensureCursor(db.knex, lease.destinationId)
      const at = now()
      const taken = await takeLease(db.knex, { ...lease, now: at, until: at + holdMs })
      return taken ? findCursor(db.knex, lease.destinationId) : undefined
    },
    renew: (lease, holdMs) => renewLease(db.knex, { ...lease, until: now() + holdMs }),
    release: (lease) => releaseLease(db.knex, lease),
    async settle(lease, { counters = [], deadLetters = [], ...cursor }) {
      return db.knex.transaction(async (tx) => {
        // First, since it proves the lease and takes the write lock.
        if (!(await updateCursor(tx, lease, cursor))) return false
        await insertDeadLetters(tx, deadLetters)
        await addToCounters(tx, counters)
        return true
      })
    },
    async ensureCursors(destinationIds) {
      for (const destinationId of destinationIds) await ensureCursor(db.knex, destinationId)
    },
    knownDestinations: async () => (await listCursors(db.knex)).map((cursor) => cursor.destinationId),
    async forget(destinationId) {
      await db.knex.transaction(async (tx) => {
        await deleteCursor(tx, destinationId)
        await deleteCounters(tx, destinationId)
      })
    },
    async prune(retentionMs) {
      const cursors = await listCursors(db.knex)
      const upTo = Math.min(await readLastSequence(db.knex), ...cursors.map((cursor) => cursor.position))
      const receivedBefore = now() - retentionMs
      let pruned = 0
      for (;;) {
        // In steps, so that appends never wait long for the write lock.
        const deleted = await deleteOldRelayEvents(db.knex, { upTo, receivedBefore, limit: PRUNED_PER_STEP })
        pruned += deleted
        if (deleted === 0) return pruned
      }
    },
    onGrown(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    announce,
    close: () => commits.close(),
  }
}

/** What events hold while they wait; a request that is kept as it came once. */
function bytesOf(events: NewEvent[]): number {
  let bytes = 0
  let request: KeptRequest | undefined
  for (const { event } of events) {
    if (typeof event === 'string') bytes += event.length
    else if (event.request !== request) bytes += event.request.line.length
    if (typeof event !== 'string') request = event.request
  }
  return bytes
}
