import type { Executor } from './db.ts'
import { secretKeepingOf } from './secrets.ts'

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
  /** Encrypted when there is a key. */
  secret: string
  created_at: number
  failing_since: number | null
  disabled_at: number | null
  disabled_reason: string | null
  last_delivery_at: number | null
  last_delivery_status: number | null
}

export async function listWebhooks(db: Executor): Promise<Webhook[]> {
  return ((await db<WebhookRow>(TABLE).orderBy('id'))).map((row) => toWebhook(db, row))
}

export async function findWebhook(db: Executor, id: number): Promise<Webhook | undefined> {
  const row = (await db<WebhookRow>(TABLE).where({ id }).first())
  return row && toWebhook(db, row)
}

/** @returns the id of the new webhook */
export async function insertWebhook(db: Executor, webhook: Pick<Webhook, 'url' | 'secret' | 'createdAt'>): Promise<number> {
  const [id] = (await db(TABLE).insert({ url: webhook.url, secret: '', created_at: webhook.createdAt })) as [number]
  // Only now, since the encrypted secret is bound to the id.
  await saveWebhookSecret(db, id, webhook.secret)
  return id
}

export async function saveWebhookSecret(db: Executor, id: number, secret: string): Promise<void> {
  await db(TABLE).where({ id }).update({ secret: secretKeepingOf(db).cipher.seal(secret, secretPlace(id)) })
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

function secretPlace(id: number): string {
  return `${TABLE}/${id}/secret`
}

function toWebhook(db: Executor, row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    secret: secretKeepingOf(db).cipher.open(row.secret, secretPlace(row.id)),
    createdAt: row.created_at,
    failingSince: row.failing_since ?? undefined,
    disabledAt: row.disabled_at ?? undefined,
    disabledReason: row.disabled_reason ?? undefined,
    lastDeliveryAt: row.last_delivery_at ?? undefined,
    lastDeliveryStatus: row.last_delivery_status ?? undefined,
  }
}
