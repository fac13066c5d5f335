import type { Executor } from './db.ts'

const TABLE = 'webhook_attempts'

/** One request of a delivery, and what came of it. */
export interface WebhookAttempt {
  /** When it began. */
  at: number
  /** HTTP status, 0 when there was no answer. */
  status: number
  durationMs: number
  /** Why it failed. */
  error: string | undefined
  /** The beginning of the answer's body. */
  answer: string
}

interface AttemptRow {
  id: number
  delivery_id: number
  at: number
  status: number
  duration_ms: number
  error: string | null
  answer: string
}

export async function insertWebhookAttempt(db: Executor, deliveryId: number, attempt: WebhookAttempt): Promise<void> {
  await db(TABLE).insert({
    delivery_id: deliveryId,
    at: attempt.at,
    status: attempt.status,
    duration_ms: attempt.durationMs,
    error: attempt.error ?? null,
    answer: attempt.answer,
  })
}

/** The attempts at each of some deliveries, in the order in which they were made. */
export async function listWebhookAttempts(db: Executor, deliveryIds: number[]): Promise<Map<number, WebhookAttempt[]>> {
  const attempts = new Map<number, WebhookAttempt[]>(deliveryIds.map((id) => [id, []]))
  const rows = await db<AttemptRow>(TABLE).whereIn('delivery_id', deliveryIds).orderBy('id')
  for (const row of rows) {
    attempts.get(row.delivery_id)?.push({ at: row.at, status: row.status, durationMs: row.duration_ms, error: row.error ?? undefined, answer: row.answer })
  }
  return attempts
}

/** Deletes all attempts at a delivery but the newest. */
export async function keepNewestAttempts(db: Executor, deliveryId: number, count: number): Promise<void> {
  const oldestKept = await db<AttemptRow>(TABLE).where('delivery_id', deliveryId).orderBy('id', 'desc').offset(count - 1).first('id')
  if (oldestKept) await db(TABLE).where('delivery_id', deliveryId).where('id', '<', oldestKept.id).delete()
}
