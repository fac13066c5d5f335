import type { SnapshotHolder } from '../../snapshot/snapshot.ts'
import type { Database } from '../../store/db.ts'
import type { Destination } from '../../store/destinations.ts'
import { listCounters } from '../../store/relay/relay-counters.ts'
import { listCursors } from '../../store/relay/relay-cursors.ts'
import type { RelayCursor } from '../../store/relay/relay-cursors.ts'
import { findOldestReceipt } from '../../store/relay/relay-events.ts'

export interface OperateDeps {
  relayDb: Database
  snapshots: SnapshotHolder
}

/** How the delivery to one destination fares. Times are epoch milliseconds. */
export interface DeliveryOverview {
  destination: string
  provider: string
  /**
   * `paused` by an admin · `halted` because its credentials or settings were refused · `failing` and retried ·
   * `delivering` what waits · `idle`
   */
  state: 'paused' | 'halted' | 'failing' | 'delivering' | 'idle'
  /** Why it is paused, halted or failing. */
  reason: string | undefined
  /** Since when it is paused, halted or failing. */
  since: number | undefined
  /** Events that wait. */
  backlog: number
  /** When the oldest of them was received. */
  oldestReceivedAt: number | undefined
  delivered: number
  failed: number
  lastError: string | undefined
  lastErrorAt: number | undefined
  lastDeliveredAt: number | undefined
}

/** Every destination and how its delivery fares, by name. */
export async function listDeliveries(deps: OperateDeps): Promise<DeliveryOverview[]> {
  const destinations = (await deps.snapshots.current()).destinations()
  const cursors = new Map((await listCursors(deps.relayDb.knex)).map((cursor) => [cursor.destinationId, cursor]))
  const counters = await listCounters(deps.relayDb.knex)
  const overviews: DeliveryOverview[] = []
  for (const destination of destinations) {
    const cursor = cursors.get(destination.id)
    const mine = counters.filter((counter) => counter.destinationId === destination.id)
    const sum = (key: 'accepted' | 'delivered' | 'dead'): number => mine.reduce((total, counter) => total + counter[key], 0)
    const backlog = sum('accepted') - sum('delivered') - sum('dead')
    overviews.push({
      destination: destination.name,
      provider: destination.provider,
      ...stateOf(destination, cursor, backlog),
      backlog,
      oldestReceivedAt: backlog > 0 ? await findOldestReceipt(deps.relayDb.knex, { destinationId: destination.id, after: cursor?.position ?? 0 }) : undefined,
      delivered: sum('delivered'),
      failed: sum('dead'),
      lastError: cursor?.lastError,
      lastErrorAt: cursor?.lastErrorAt,
      lastDeliveredAt: cursor?.lastDeliveredAt,
    })
  }
  return overviews
}

/** Why destinations halted by themselves, by destination id; those that were changed or resumed since are left out. */
export async function listHaltReasons(deps: OperateDeps): Promise<ReadonlyMap<number, string>> {
  const cursors = await listCursors(deps.relayDb.knex)
  const generations = new Map((await deps.snapshots.current()).destinations().map((destination) => [destination.id, destination.generation]))
  const halted = cursors.filter((cursor) => cursor.haltedGeneration !== undefined && cursor.haltedGeneration === generations.get(cursor.destinationId))
  return new Map(halted.map((cursor) => [cursor.destinationId, cursor.haltedReason ?? 'refused']))
}

function stateOf(destination: Destination, cursor: RelayCursor | undefined, backlog: number): Pick<DeliveryOverview, 'state' | 'reason' | 'since'> {
  if (destination.pausedAt !== undefined) return { state: 'paused', reason: destination.pausedReason, since: destination.pausedAt }
  if (cursor?.haltedGeneration === destination.generation) return { state: 'halted', reason: cursor.haltedReason, since: cursor.haltedAt }
  if (cursor?.failingSince !== undefined) return { state: 'failing', reason: cursor.lastError, since: cursor.failingSince }
  return { state: backlog > 0 ? 'delivering' : 'idle', reason: undefined, since: undefined }
}
