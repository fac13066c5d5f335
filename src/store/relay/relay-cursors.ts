import type { Executor } from '../db.ts'
import { findFirstSequence } from './relay-events.ts'
import { readLastSequence } from './relay-sequence.ts'

const TABLE = 'relay_cursors'

/** How far the delivery to one destination is, who does it, and how it fares. */
export interface RelayCursor {
  destinationId: number
  /** Every event up to this number is delivered or dead. */
  position: number
  /** When the failures that still last began; the time budget of retries counts from here. */
  failingSince: number | undefined
  /** The destination's generation under which its credentials or settings were refused; it stands until the generation differs. */
  haltedGeneration: number | undefined
  haltedReason: string | undefined
  haltedAt: number | undefined
  lastError: string | undefined
  lastErrorAt: number | undefined
  lastDeliveredAt: number | undefined
}

interface RelayCursorRow {
  destination_id: number
  position: number
  lease_token: string | null
  lease_until: number | null
  failing_since: number | null
  halted_generation: number | null
  halted_reason: string | null
  halted_at: number | null
  last_error: string | null
  last_error_at: number | null
  last_delivered_at: number | null
}

/** What a worker writes to the cursor it holds; a key that is left out stays, `null` empties. */
export interface RelayCursorUpdate {
  position?: number
  failingSince?: number | null
  halted?: { generation: number; reason: string; at: number } | null
  lastError?: { message: string; at: number }
  lastDeliveredAt?: number
}

/**
 * Makes the cursor of a destination if there is none.
 * It starts before the oldest event: no event carries a destination's id before the destination exists, so nothing is lost or repeated.
 */
export async function ensureCursor(db: Executor, destinationId: number): Promise<void> {
  if (await db(TABLE).where('destination_id', destinationId).first('destination_id')) return
  // The last number first: an event that is written between the two reads must lie after the start.
  const last = await readLastSequence(db)
  const first = await findFirstSequence(db)
  const position = first === undefined ? last : Math.min(last, first - 1)
  await db(TABLE).insert({ destination_id: destinationId, position }).onConflict('destination_id').ignore()
}

/** All cursors. */
export async function listCursors(db: Executor): Promise<RelayCursor[]> {
  return ((await db<RelayCursorRow>(TABLE).orderBy('destination_id'))).map(toCursor)
}

/** One cursor. */
export async function findCursor(db: Executor, destinationId: number): Promise<RelayCursor | undefined> {
  const row = await db(TABLE).where('destination_id', destinationId).first<RelayCursorRow | undefined>()
  return row && toCursor(row)
}

/** Takes the lease if it is free, run out, or this token's own. @returns whether the token holds it now */
export async function takeLease(db: Executor, lease: { destinationId: number; token: string; now: number; until: number }): Promise<boolean> {
  const taken = await db<RelayCursorRow>(TABLE)
    .where('destination_id', lease.destinationId)
    .where((free) => void free.whereNull('lease_token').orWhere('lease_token', lease.token).orWhere('lease_until', '<', lease.now))
    .update({ lease_token: lease.token, lease_until: lease.until })
  return taken > 0
}

/** Puts the end of a lease off. @returns false when another took it over */
export async function renewLease(db: Executor, lease: { destinationId: number; token: string; until: number }): Promise<boolean> {
  return (await held(db, lease).update({ lease_until: lease.until })) > 0
}

/** Gives a lease back; one that another took over stays with the other. */
export async function releaseLease(db: Executor, lease: { destinationId: number; token: string }): Promise<void> {
  await held(db, lease).update({ lease_token: null, lease_until: null })
}

/** Writes to a cursor under its lease. @returns false, and nothing is written, when the token is stale */
export async function updateCursor(db: Executor, lease: { destinationId: number; token: string }, update: RelayCursorUpdate): Promise<boolean> {
  const row: Partial<RelayCursorRow> = {}
  if (update.position !== undefined) row.position = update.position
  if (update.failingSince !== undefined) row.failing_since = update.failingSince
  if (update.halted !== undefined) {
    row.halted_generation = update.halted?.generation ?? null
    row.halted_reason = update.halted?.reason.slice(0, 1000) ?? null
    row.halted_at = update.halted?.at ?? null
  }
  if (update.lastError) {
    row.last_error = update.lastError.message.slice(0, 1000)
    row.last_error_at = update.lastError.at
  }
  if (update.lastDeliveredAt !== undefined) row.last_delivered_at = update.lastDeliveredAt
  return (await held(db, lease).update({ ...row, lease_token: lease.token })) > 0
}

/** Drops the cursor of a destination that is gone. */
export async function deleteCursor(db: Executor, destinationId: number): Promise<void> {
  await db(TABLE).where('destination_id', destinationId).delete()
}

function held(db: Executor, lease: { destinationId: number; token: string }) {
  return db<RelayCursorRow>(TABLE).where({ destination_id: lease.destinationId, lease_token: lease.token })
}

function toCursor(row: RelayCursorRow): RelayCursor {
  return {
    destinationId: Number(row.destination_id),
    position: Number(row.position),
    failingSince: row.failing_since === null ? undefined : Number(row.failing_since),
    haltedGeneration: row.halted_generation === null ? undefined : Number(row.halted_generation),
    haltedReason: row.halted_reason ?? undefined,
    haltedAt: row.halted_at === null ? undefined : Number(row.halted_at),
    lastError: row.last_error ?? undefined,
    lastErrorAt: row.last_error_at === null ? undefined : Number(row.last_error_at),
    lastDeliveredAt: row.last_delivered_at === null ? undefined : Number(row.last_delivered_at),
  }
}
