import type { Executor } from './db.ts'
import { saveFirstSecret } from './webhook-secrets.ts'

const TABLE = 'webhooks'

/** Which publications a webhook hears of; an empty list means all. */
export interface WebhookFilter {
  /** Namespaces, or globs over `namespace/name`. */
  namespaces: string[]
  types: AnnouncementType[]
}

export type AnnouncementType = 'event.published' | 'event.status_changed'

/** An address that hears of publications. Its secrets lie with `webhook-secrets.ts`. */
export interface Webhook extends WebhookFilter {
  id: number
  url: string
  createdAt: number
  /** When the present run of failures began. */
  failingSince: number | undefined
  disabledAt: number | undefined
  disabledReason: string | undefined
  lastDeliveryAt: number | undefined
  /** HTTP status of the last attempt, 0 when there was no answer. */
  lastDeliveryStatus: number | undefined
  /** Until when the secret before the present one signs as well. */
  previousSecretUntil: number | undefined
}

interface WebhookRow {
  id: number
  url: string
  namespaces: string | null
  types: string | null
  created_at: number
  failing_since: number | null
  disabled_at: number | null
  disabled_reason: string | null
  last_delivery_at: number | null
  last_delivery_status: number | null
  previous_secret_until: number | null
}

/** All but the secrets. */
const COLUMNS = ['id', 'url', 'namespaces', 'types', 'created_at', 'failing_since', 'disabled_at', 'disabled_reason', 'last_delivery_at', 'last_delivery_status', 'previous_secret_until'] as const

/** All webhooks, by id. */
export async function listWebhooks(db: Executor): Promise<Webhook[]> {
  const rows = await db<WebhookRow>(TABLE).orderBy('id').select(...COLUMNS)
  return rows.map(toWebhook)
}

export async function findWebhook(db: Executor, id: number): Promise<Webhook | undefined> {
  const row = await db<WebhookRow>(TABLE).where({ id }).first(...COLUMNS)
  return row && toWebhook(row)
}

/** @param webhook `secret` is `whsec_` and base64; it is shown once, at creation @returns the id of the new webhook */
export async function insertWebhook(db: Executor, webhook: WebhookFilter & { url: string; secret: string; createdAt: number }): Promise<number> {
  const [id] = (await db(TABLE).insert({ url: webhook.url, secret: '', created_at: webhook.createdAt, ...filterColumns(webhook) })) as [number]
  // Only now, since an encrypted secret is bound to the id.
  await saveFirstSecret(db, id, webhook.secret)
  return id
}

/** Replaces address and filter. `failingSince` is part of it: a new address has not failed yet. */
export async function updateWebhook(db: Executor, webhook: Pick<Webhook, 'id' | 'url' | 'namespaces' | 'types' | 'failingSince'>): Promise<void> {
  await db(TABLE).where({ id: webhook.id }).update({ url: webhook.url, failing_since: webhook.failingSince ?? null, ...filterColumns(webhook) })
}

export async function deleteWebhook(db: Executor, id: number): Promise<void> {
  await db(TABLE).where({ id }).delete()
}

/** Notes the last attempt. A success ends the run of failures; a failure begins one, or leaves it as it began. */
export async function noteWebhookAttempt(db: Executor, id: number, attempt: { at: number; status: number; isSuccess: boolean }): Promise<void> {
  await db(TABLE)
    .where({ id })
    .update({
      last_delivery_at: attempt.at,
      last_delivery_status: attempt.status,
      // In the statement itself: another process may have ended the run meanwhile.
      failing_since: attempt.isSuccess ? null : db.raw('coalesce(failing_since, ?)', [attempt.at]),
    })
}

export async function disableWebhook(db: Executor, id: number, at: number, reason: string | undefined): Promise<void> {
  await db(TABLE).where({ id }).update({ disabled_at: at, disabled_reason: reason ?? null })
}

/** Lets a webhook hear of publications again, as if it had never failed. */
export async function enableWebhook(db: Executor, id: number): Promise<void> {
  await db(TABLE).where({ id }).update({ disabled_at: null, disabled_reason: null, failing_since: null })
}

function filterColumns(filter: WebhookFilter): Pick<WebhookRow, 'namespaces' | 'types'> {
  return { namespaces: JSON.stringify(filter.namespaces), types: JSON.stringify(filter.types) }
}

function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    // Webhooks from before there were filters have none.
    namespaces: row.namespaces === null ? [] : JSON.parse(row.namespaces),
    types: row.types === null ? [] : JSON.parse(row.types),
    createdAt: row.created_at,
    failingSince: row.failing_since ?? undefined,
    disabledAt: row.disabled_at ?? undefined,
    disabledReason: row.disabled_reason ?? undefined,
    lastDeliveryAt: row.last_delivery_at ?? undefined,
    lastDeliveryStatus: row.last_delivery_status ?? undefined,
    previousSecretUntil: row.previous_secret_until ?? undefined,
  }
}
