import type { Executor } from './db.ts'
import { openSettings, sealSettings } from './secrets.ts'

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
  /** JSON; its secrets are encrypted when there is a key. */
  config: string
  generation: number
  paused_at: number | null
  paused_reason: string | null
  created_at: number
  updated_at: number
}

/** All destinations, by name. */
export async function listDestinations(db: Executor): Promise<Destination[]> {
  return ((await db<DestinationRow>(TABLE).orderBy('name'))).map((row) => toDestination(db, row))
}

/** One destination, `undefined` when there is none of that name. */
export async function findDestination(db: Executor, name: string): Promise<Destination | undefined> {
  const row = (await db<DestinationRow>(TABLE).where('name', name).first())
  return row && toDestination(db, row)
}

export async function insertDestination(db: Executor, destination: Omit<Destination, 'id'>): Promise<void> {
  await db(TABLE).insert(toRow(db, destination))
}

export async function updateDestination(db: Executor, destination: Omit<Destination, 'id'>): Promise<void> {
  await db(TABLE).where('name', destination.name).update(toRow(db, destination))
}

export async function deleteDestination(db: Executor, name: string): Promise<void> {
  await db(TABLE).where('name', name).delete()
}

function toRow(db: Executor, destination: Omit<Destination, 'id'>): Omit<DestinationRow, 'id'> {
  return {
    name: destination.name,
    provider: destination.provider,
    config: JSON.stringify(sealSettings(db, destination.name, destination.provider, destination.config)),
    generation: destination.generation,
    paused_at: destination.pausedAt ?? null,
    paused_reason: destination.pausedReason ?? null,
    created_at: destination.createdAt,
    updated_at: destination.updatedAt,
  }
}

function toDestination(db: Executor, row: DestinationRow): Destination {
  return {
    id: row.id,
    name: row.name,
    provider: row.provider,
    config: openSettings(db, row.name, JSON.parse(row.config) as Record<string, unknown>),
    generation: row.generation,
    pausedAt: row.paused_at ?? undefined,
    pausedReason: row.paused_reason ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
