import type { Executor } from './db.ts'

const TABLE = 'webhook_deliveries'

/** One announcement on its way to one webhook. */
export interface WebhookDelivery {
  id: number
  webhookId: number
  /** Stable over retries: the receiver's key for deduplication. */
  messageId: string
  type: string
  /** The exact JSON text that is signed and sent. */
  payload: string
  attempts: number
  createdAt: number
}

interface DeliveryRow {
  id: number
  webhook_id: number
  message_id: string
  type: string
  payload: string
  created_at: number
  attempts: number
  next_attempt_at: number | null
  lease_token: string | null
  lease_until: number | null
}

export type SettledOutcome = 'delivered' | 'failed' | 'dropped'

/** Writes announcements inside the transaction of what they announce. */
export async function insertWebhookDeliveries(
  db: Executor,
  announcement: { webhookIds: number[]; messageId: string; type: string; payload: string; at: number },
): Promise<void> {
  if (announcement.webhookIds.length === 0) return
  await db(TABLE).insert(
    announcement.webhookIds.map((webhookId) => ({
      webhook_id: webhookId,
      message_id: announcement.messageId,
      type: announcement.type,
      payload: announcement.payload,
      created_at: announcement.at,
      next_attempt_at: announcement.at,
    })),
  )
}

/**
 * Leases deliveries that are due and that nobody holds, the oldest of each webhook; a lease that ran out is free again.
 * Marked by token first and read by token after, so two processes never get the same row.
 * @param claim `busy` webhooks have an attempt under way and get none
 */
export async function claimDueDeliveries(db: Executor, claim: { token: string; now: number; until: number; limit: number; busy?: readonly number[] }): Promise<WebhookDelivery[]> {
  const due = await db<DeliveryRow>(TABLE)
    .where('next_attempt_at', '<=', claim.now)
    .where((free) => void free.whereNull('lease_until').orWhere('lease_until', '<', claim.now))
    .whereNotIn('webhook_id', [...(claim.busy ?? [])])
    .groupBy('webhook_id')
    .limit(claim.limit)
    .min<{ id: number }[]>({ id: 'id' })
  if (due.length === 0) return []
  const ids = due.map((row) => row.id)
  await db(TABLE)
    .whereIn('id', ids)
    // Another process may have settled it since it was read: then it is free, and no longer due.
    .where('next_attempt_at', '<=', claim.now)
    .where((free) => void free.whereNull('lease_until').orWhere('lease_until', '<', claim.now))
    .update({ lease_token: claim.token, lease_until: claim.until })
  const rows = await db<DeliveryRow>(TABLE).whereIn('id', ids).where('lease_token', claim.token).orderBy('id')
  return rows.map((row) => ({
    id: row.id,
    webhookId: row.webhook_id,
    messageId: row.message_id,
    type: row.type,
    payload: row.payload,
    attempts: row.attempts,
    createdAt: row.created_at,
  }))
}

/** Ends a delivery. @returns false when the lease was lost meanwhile, so that nothing was written */
export async function settleDelivery(
  db: Executor,
  delivery: { id: number; token: string; outcome: SettledOutcome; attempts: number; status: number; error: string | undefined; at: number },
): Promise<boolean> {
  return update(db, delivery, { outcome: delivery.outcome, settled_at: delivery.at, next_attempt_at: null })
}

/** Gives a delivery back for a later attempt. @returns false when the lease was lost meanwhile */
export async function postponeDelivery(
  db: Executor,
  delivery: { id: number; token: string; nextAttemptAt: number; attempts: number; status: number; error: string | undefined },
): Promise<boolean> {
  return update(db, delivery, { next_attempt_at: delivery.nextAttemptAt })
}

/** Ends everything that still waits for a webhook, attempts under way included: their outcome finds its lease gone. */
export async function dropDeliveries(db: Executor, webhookId: number, at: number): Promise<void> {
  await db(TABLE).where({ webhook_id: webhookId }).whereNotNull('next_attempt_at').update({ outcome: 'dropped', settled_at: at, next_attempt_at: null, lease_token: null, lease_until: null })
}

/** The earliest time at which a delivery is due, `undefined` when none waits. */
export async function nextDeliveryAt(db: Executor): Promise<number | undefined> {
  const row = (await db(TABLE).min({ at: 'next_attempt_at' }).first()) as { at: number | null } | undefined
  return row?.at ?? undefined
}

/** Deletes deliveries settled before a time. @returns how many */
export async function pruneDeliveries(db: Executor, settledBefore: number): Promise<number> {
  return db(TABLE).where('settled_at', '<', settledBefore).delete()
}

async function update(
  db: Executor,
  delivery: { id: number; token: string; attempts: number; status: number; error: string | undefined },
  columns: Record<string, unknown>,
): Promise<boolean> {
  const touched = await db(TABLE)
    .where({ id: delivery.id, lease_token: delivery.token })
    .update({ ...columns, attempts: delivery.attempts, last_status: delivery.status, last_error: delivery.error ?? null, lease_token: null, lease_until: null })
  return touched > 0
}
