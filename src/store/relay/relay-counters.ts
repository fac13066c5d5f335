import type { Knex } from 'knex'
import type { Executor } from '../db.ts'

const TABLE = 'relay_counters'

/** How many events of one source went to one destination; what is neither delivered nor dead is pending. */
export interface RelayCounter {
  source: string
  destinationId: number
  accepted: number
  delivered: number
  dead: number
}

/** What a counter changes by. */
export type RelayCounterStep = Pick<RelayCounter, 'source' | 'destinationId'> & Partial<Pick<RelayCounter, 'accepted' | 'delivered' | 'dead'>>

interface RelayCounterRow {
  source: string
  destination_id: number
  accepted: number
  delivered: number
  dead: number
}

/** Changes counters by steps, always in the same order, so that two transactions cannot wait for each other. */
export async function addToCounters(tx: Knex.Transaction, steps: RelayCounterStep[]): Promise<void> {
  for (const step of sum(steps)) {
    const { accepted, delivered, dead } = step
    const row = { source: step.source, destination_id: step.destinationId, accepted, delivered, dead }
    await tx(TABLE)
      .insert(row)
      .onConflict(['source', 'destination_id'])
      .merge({ accepted: plus(tx, 'accepted', accepted), delivered: plus(tx, 'delivered', delivered), dead: plus(tx, 'dead', dead) })
  }
}

/** All counters, or those of one source. */
export async function listCounters(db: Executor, query: { source?: string } = {}): Promise<RelayCounter[]> {
  const select = db<RelayCounterRow>(TABLE)
  if (query.source !== undefined) select.where('source', query.source)
  return ((await select)).map((row) => ({
    source: row.source,
    destinationId: Number(row.destination_id),
    accepted: Number(row.accepted),
    delivered: Number(row.delivered),
    dead: Number(row.dead),
  }))
}

/** Drops what was counted for a destination that is gone. */
export async function deleteCounters(tx: Executor, destinationId: number): Promise<void> {
  await tx(TABLE).where('destination_id', destinationId).delete()
}

function plus(tx: Knex.Transaction, column: string, n: number): Knex.Raw {
  return tx.raw('?? + ?', [`${TABLE}.${column}`, n])
}

function sum(steps: RelayCounterStep[]): RelayCounter[] {
  const totals = new Map<string, RelayCounter>()
  for (const step of steps) {
    const key = `${step.destinationId}\n${step.source}`
    const total = totals.get(key) ?? { source: step.source, destinationId: step.destinationId, accepted: 0, delivered: 0, dead: 0 }
    total.accepted += step.accepted ?? 0
    total.delivered += step.delivered ?? 0
    total.dead += step.dead ?? 0
    totals.set(key, total)
  }
  return [...totals.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, total]) => total)
}
