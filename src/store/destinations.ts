import type { Executor } from './db.ts'

const TABLE = 'destinations'

/** Where events are delivered. */
export interface Destination {
  id: number
  name: string
  /** The provider's own name; aliases are resolved before storing. */
  provider: string
  /** The provider's settings with their secrets; never leaves the process unmasked. */
  config: Record<string, unknown>
  /** Raised by each change: a delivery that was halted under an older generation tries again. */
  generation: number
  /** Set while an admin holds the destination; events wait in the log. */
  pausedAt: number | undefined
  pausedReason: string | undefined
  createdAt: number
  updatedAt: number
}

interface DestinationRow {
  id: number
  name: string
  provider: string
  config: string
  generation: number
  paused_at: number | null
  paused_reason: string | null
  created_at: number
  updated_at: number
}

/** All destinations, by name. */
export async function listDestinations(db: Executor): Promise<Destination[]> {
  return ((await db<DestinationRow>(TABLE).orderBy('name'))).map(toDestination)
}

/** One destination, `undefined` when there is none of that name. */
export async function findDestination(db: Executor, name: string): Promise<Destination | undefined> {
  const row = (await db<DestinationRow>(TABLE).where('name', name).first())
  return row && toDestination(row)
}

export async function insertDestination(db: Executor, destination: Omit<Destination, 'id'>): Promise<void> {
  await db(TABLE).insert(toRow(destination))
}

export async function updateDestination(db: Executor, destination: Omit<Destination, 'id'>): Promise<void> {
  await db(TABLE).where('name', destination.name).update(toRow(destination))
}

export async function deleteDestination(db: Executor, name: string): Promise<void> {
  await db(TABLE).where('name', name).delete()
}

function toRow(destination: Omit<Destination, 'id'>): Omit<DestinationRow, 'id'> {
  return {
    name: destination.name,
    provider: destination.provider,
    config: JSON.stringify(destination.config),
    generation: destination.generation,
    paused_at: destination.pausedAt ?? null,
    paused_reason: destination.pausedReason ?? null,
    created_at: destination.createdAt,
    updated_at: destination.updatedAt,
  }
}

function toDestination(row: DestinationRow): Destination {
  return {
    id: row.id,
    name: row.name,
    provider: row.provider,
    config: JSON.parse(row.config),
    generation: row.generation,
    pausedAt: row.paused_at ?? undefined,
    pausedReason: row.paused_reason ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
