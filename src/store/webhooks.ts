import type { Executor } from './db.ts'

const TABLE = 'webhooks'

/** An address that hears of every publication. */
export interface Webhook {
  id: number
  url: string
  /** `whsec_` and base64; shown once, at creation. */
  secret: string
  createdAt: number
  /** When the present run of failures began. */
  failingSince: number | undefined
  disabledAt: number | undefined
  disabledReason: string | undefined
  lastDeliveryAt: number | undefined
  /** HTTP status of the last attempt, 0 when there was no answer. */
  lastDeliveryStatus: number | undefined
}

interface WebhookRow {
  id: number
  url: string
  secret: string
  created_at: number
  failing_since: number | null
  disabled_at: number | null
  disabled_reason: string | null
  last_delivery_at: number | null
  last_delivery_status: number | null
}

export async function listWebhooks(db: Executor): Promise<Webhook[]> {
  return ((await db<WebhookRow>(TABLE).orderBy('id'))).map(toWebhook)
}

export async function findWebhook(db: Executor, id: number): Promise<Webhook | undefined> {
  const row = (await db<WebhookRow>(TABLE).where({ id }).first())
  return row && toWebhook(row)
}

/** @returns the id of the new webhook */
export async function insertWebhook(db: Executor, webhook: Pick<Webhook, 'url' | 'secret' | 'createdAt'>): Promise<number> {
  const [id] = await db(TABLE).insert({ url: webhook.url, secret: webhook.secret, created_at: webhook.createdAt })
  return id as number
}

export async function deleteWebhook(db: Executor, id: number): Promise<void> {
  await db(TABLE).where({ id }).delete()
}

/** Notes the last attempt; `failingSince` is `undefined` after a success. */
export async function noteWebhookAttempt(db: Executor, id: number, attempt: { at: number; status: number; failingSince: number | undefined }): Promise<void> {
  await db(TABLE).where({ id }).update({ last_delivery_at: attempt.at, last_delivery_status: attempt.status, failing_since: attempt.failingSince ?? null })
}

export async function disableWebhook(db: Executor, id: number, at: number, reason: string): Promise<void> {
  await db(TABLE).where({ id }).update({ disabled_at: at, disabled_reason: reason })
}

function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    secret: row.secret,
    createdAt: row.created_at,
    failingSince: row.failing_since ?? undefined,
    disabledAt: row.disabled_at ?? undefined,
    disabledReason: row.disabled_reason ?? undefined,
    lastDeliveryAt: row.last_delivery_at ?? undefined,
    lastDeliveryStatus: row.last_delivery_status ?? undefined,
  }
}
