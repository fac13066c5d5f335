import type { Executor } from './db.ts'
import { secretKeepingOf } from './secrets.ts'

const TABLE = 'webhooks'

/** The columns that hold secrets, encrypted when there is a key. */
interface SecretsRow {
  id: number
  secret: string
  previous_secret: string | null
  previous_secret_until: number | null
}

/** Gives a webhook that was just inserted its secret. */
export async function saveFirstSecret(db: Executor, id: number, secret: string): Promise<void> {
  await db(TABLE).where({ id }).update({ secret: seal(db, id, secret) })
}

/** The secrets that sign a webhook's deliveries at a time, the present one first; none when there is no such webhook. */
export async function findSigningSecrets(db: Executor, id: number, at: number): Promise<string[]> {
  const row = await db<SecretsRow>(TABLE).where({ id }).first('secret', 'previous_secret', 'previous_secret_until')
  if (!row) return []
  const stored = row.previous_secret !== null && (row.previous_secret_until ?? 0) > at ? [row.secret, row.previous_secret] : [row.secret]
  return stored.map((secret) => open(db, id, secret))
}

/** Replaces the secret. The one before signs as well until `previousUntil`, not at all when that is `undefined`; an older one is forgotten. */
export async function replaceSecret(db: Executor, id: number, change: { secret: string; previousUntil: number | undefined }): Promise<void> {
  const row = await db<SecretsRow>(TABLE).where({ id }).first('secret')
  await db(TABLE)
    .where({ id })
    .update({ secret: seal(db, id, change.secret), previous_secret: change.previousUntil === undefined ? null : row?.secret, previous_secret_until: change.previousUntil ?? null })
}

/** Forgets replaced secrets that sign no more. */
export async function forgetEndedSecrets(db: Executor, at: number): Promise<void> {
  await db(TABLE).where('previous_secret_until', '<=', at).update({ previous_secret: null, previous_secret_until: null })
}

/** Reads every secret. @throws UnreadableSecretError when the key of one is not at hand */
export async function assertReadableSecrets(db: Executor): Promise<void> {
  for (const row of await listRows(db)) openAll(db, row)
}

/** Encrypts every secret anew, with the first key. @returns the number of webhooks @throws UnreadableSecretError */
export async function sealSecretsAnew(db: Executor): Promise<number> {
  const rows = await listRows(db)
  for (const row of rows) {
    const { secret, previous } = openAll(db, row)
    await db(TABLE)
      .where({ id: row.id })
      .update({ secret: seal(db, row.id, secret), previous_secret: previous === undefined ? null : seal(db, row.id, previous) })
  }
  return rows.length
}

function listRows(db: Executor): Promise<SecretsRow[]> {
  return db<SecretsRow>(TABLE).orderBy('id').select('id', 'secret', 'previous_secret', 'previous_secret_until')
}

function openAll(db: Executor, row: SecretsRow): { secret: string; previous: string | undefined } {
  return { secret: open(db, row.id, row.secret), previous: row.previous_secret === null ? undefined : open(db, row.id, row.previous_secret) }
}

// Both columns are one place: a secret that is replaced moves as it is.
function placeOf(id: number): string {
  return `${TABLE}/${id}/secret`
}

function seal(db: Executor, id: number, secret: string): string {
  return secretKeepingOf(db).cipher.seal(secret, placeOf(id))
}

function open(db: Executor, id: number, stored: string): string {
  return secretKeepingOf(db).cipher.open(stored, placeOf(id))
}
