import type { Knex } from 'knex'
import type { Executor } from '../db.ts'

const TABLE = 'relay_attempts'
const ROWS_PER_INSERT = 100

/** `retrying` until it ends as one of the others. */
export type AttemptOutcome = 'retrying' | 'delivered' | 'dead'

/** What became of one event at one destination that did not take it at once. */
export interface RelayAttempt {
  seq: number
  destinationId: number
  outcome: AttemptOutcome
  attempts: number
  /** HTTP status of the last attempt; `undefined` when there was no answer or no attempt. */
  status: number | undefined
  durationMs: number | undefined
  /** What the last failure said. */
  message: string | undefined
  attemptedAt: number | undefined
}

interface RelayAttemptRow {
  seq: number
  destination_id: number
  outcome: AttemptOutcome
  attempts: number
  status: number | null
  duration_ms: number | null
  message: string | null
  attempted_at: number | null
}

/** Writes attempts over those that are there for the same event and destination. */
export async function upsertAttempts(tx: Knex.Transaction, attempts: RelayAttempt[]): Promise<void> {
  const rows = attempts.map(toRow)
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    await tx(TABLE).insert(rows.slice(at, at + ROWS_PER_INSERT)).onConflict(['seq', 'destination_id']).merge()
  }
}

/** What is known of some events, at every destination. */
export async function listAttempts(db: Executor, sequences: number[]): Promise<RelayAttempt[]> {
  return ((await db<RelayAttemptRow>(TABLE).whereIn('seq', sequences))).map(toAttempt)
}

/** The events after a number that a destination was still retrying. */
export async function listOpenAttempts(db: Executor, query: { destinationId: number; after: number; limit: number }): Promise<RelayAttempt[]> {
  const rows = (await db<RelayAttemptRow>(TABLE)
    .where({ destination_id: query.destinationId, outcome: 'retrying' })
    .where('seq', '>', query.after)
    .orderBy('seq')
    .limit(query.limit))
  return rows.map(toAttempt)
}

/** Deletes what is known of events before a number. */
export async function deleteAttemptsBefore(db: Executor, seq: number): Promise<void> {
  await db(TABLE).where('seq', '<', seq).delete()
}

/** Keeps the newest `count` of those that were delivered in the end. */
export async function keepNewestDelivered(db: Executor, count: number): Promise<void> {
  const row = await db<RelayAttemptRow>(TABLE).where('outcome', 'delivered').orderBy('seq', 'desc').offset(count).first('seq')
  if (row) await db<RelayAttemptRow>(TABLE).where('outcome', 'delivered').where('seq', '<=', row.seq).delete()
}

function toRow(attempt: RelayAttempt): RelayAttemptRow {
  return {
    seq: attempt.seq,
    destination_id: attempt.destinationId,
    outcome: attempt.outcome,
    attempts: attempt.attempts,
    status: attempt.status ?? null,
    duration_ms: attempt.durationMs ?? null,
    message: attempt.message?.slice(0, 1000) ?? null,
    attempted_at: attempt.attemptedAt ?? null,
  }
}

function toAttempt(row: RelayAttemptRow): RelayAttempt {
  return {
    seq: Number(row.seq),
    destinationId: Number(row.destination_id),
    outcome: row.outcome,
    attempts: Number(row.attempts),
    status: row.status ?? undefined,
    durationMs: row.duration_ms ?? undefined,
    message: row.message ?? undefined,
    attemptedAt: row.attempted_at === null ? undefined : Number(row.attempted_at),
  }
}
