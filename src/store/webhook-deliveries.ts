import type { Executor } from './db.ts'

const TABLE = 'webhook_deliveries'
const ATTEMPTS = 'webhook_attempts'

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
  subject: string | null
  payload: string
  created_at: number
  attempts: number
  next_attempt_at: number | null
  lease_token: string | null
  lease_until: number | null
  outcome: SettledOutcome | null
  settled_at: number | null
}

const LOGGED_COLUMNS = ['id', 'message_id', 'type', 'subject', 'outcome', 'created_at', 'next_attempt_at', 'settled_at'] as const

export type SettledOutcome = 'delivered' | 'failed' | 'dropped'

/** How a delivery stands: it waits for its next attempt or is under way, or was settled. */
export type DeliveryState = 'pending' | SettledOutcome

/** A delivery as its log tells it. */
export interface LoggedDelivery {
  id: number
  messageId: string
  type: string
  /** `namespace/name@version`; unknown of deliveries from before it was kept. */
  subject: string | undefined
  state: DeliveryState
  createdAt: number
  /** When it is attempted next, `undefined` once it is settled. */
  nextAttemptAt: number | undefined
  settledAt: number | undefined
}

/** Writes announcements inside the transaction of what they announce. */
export async function insertWebhookDeliveries(
  db: Executor,
  announcement: { webhookIds: number[]; messageId: string; type: string; subject: string; payload: string; at: number },
): Promise<void> {
  if (announcement.webhookIds.length === 0) return
  await db(TABLE).insert(
    announcement.webhookIds.map((webhookId) => ({
      webhook_id: webhookId,
      message_id: announcement.messageId,
      type: announcement.type,
      subject: announcement.subject,
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

/** Gives a delivery back unattempted: it is due as before. */
export async function releaseDelivery(db: Executor, delivery: { id: number; token: string }): Promise<void> {
  await db(TABLE).where({ id: delivery.id, lease_token: delivery.token }).update({ lease_token: null, lease_until: null })
}

/** Ends a delivery whose webhook takes none any more. */
export async function dropDelivery(db: Executor, delivery: { id: number; token: string; at: number }): Promise<void> {
  await db(TABLE).where({ id: delivery.id, lease_token: delivery.token }).update(dropped(delivery.at))
}

/** Ends everything that still waits for a webhook, attempts under way included: their outcome finds its lease gone. */
export async function dropDeliveries(db: Executor, webhookId: number, at: number): Promise<void> {
  await db(TABLE).where({ webhook_id: webhookId }).whereNotNull('next_attempt_at').update(dropped(at))
}

/**
 * Begins a delivery anew, due at once, whatever became of it; an attempt under way finds its lease gone.
 * @returns its message id, `undefined` when the webhook has no such delivery
 */
export async function restartDelivery(db: Executor, delivery: { id: number; webhookId: number; at: number }): Promise<string | undefined> {
  const { id, webhookId, at } = delivery
  await db(TABLE)
    .where({ id, webhook_id: webhookId })
    .update({ attempts: 0, next_attempt_at: at, outcome: null, settled_at: null, last_status: null, last_error: null, lease_token: null, lease_until: null })
  const row = await db<DeliveryRow>(TABLE).where({ id, webhook_id: webhookId }).first('message_id')
  return row?.message_id
}

/** The deliveries of a webhook, newest first. */
export async function listLoggedDeliveries(
  db: Executor,
  filter: { webhookId: number; state?: DeliveryState | undefined; beforeId?: number | undefined; limit: number },
): Promise<LoggedDelivery[]> {
  const query = db<DeliveryRow>(TABLE).where('webhook_id', filter.webhookId).orderBy('id', 'desc').limit(filter.limit).select(...LOGGED_COLUMNS)
  if (filter.state === 'pending') void query.whereNull('outcome')
  else if (filter.state !== undefined) void query.where('outcome', filter.state)
  if (filter.beforeId !== undefined) void query.where('id', '<', filter.beforeId)
  return (await query).map((row) => ({
    id: row.id,
    messageId: row.message_id,
    type: row.type,
    subject: row.subject ?? undefined,
    state: row.outcome ?? 'pending',
    createdAt: row.created_at,
    nextAttemptAt: row.next_attempt_at ?? undefined,
    settledAt: row.settled_at ?? undefined,
  }))
}

/** The earliest time at which a delivery is due to a webhook that is not busy, `undefined` when none waits. */
export async function nextDeliveryAt(db: Executor, busy: readonly number[] = []): Promise<number | undefined> {
  const row = (await db(TABLE).whereNotIn('webhook_id', [...busy]).min({ at: 'next_attempt_at' }).first()) as { at: number | null } | undefined
  return row?.at ?? undefined
}

/** Deletes deliveries settled before a time, with their attempts. @returns how many deliveries */
export async function pruneDeliveries(db: Executor, settledBefore: number): Promise<number> {
  await db(ATTEMPTS).whereIn('delivery_id', db(TABLE).where('settled_at', '<', settledBefore).select('id')).delete()
  return db(TABLE).where('settled_at', '<', settledBefore).delete()
}

function dropped(at: number): Record<string, unknown> {
  return { outcome: 'dropped', settled_at: at, next_attempt_at: null, lease_token: null, lease_until: null }
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
