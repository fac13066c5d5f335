import { DAY, MINUTE } from './duration.ts'
import type { SnapshotHolder } from './snapshot/snapshot.ts'
import { pruneAuditEntries } from './store/audit-entries.ts'
import type { Database } from './store/db.ts'
import { pruneDeliveries } from './store/webhook-deliveries.ts'
import { forgetEndedSecrets } from './store/webhook-secrets.ts'

export interface MaintenanceDeps {
  db: Database
  snapshots: SnapshotHolder
  now: () => number
  warn: (facts: object, text: string) => void
}

const EVERY_MS = MINUTE
// Settled webhook deliveries are kept for whoever looks into a receiver's trouble.
const WEBHOOK_DELIVERIES_KEPT_MS = 30 * DAY

/** Deletes what is old in the registry, once a minute; the relay prunes its log itself. @returns how to stop it; the round under way is waited for */
export function startMaintenance(deps: MaintenanceDeps): () => Promise<void> {
  let round = Promise.resolve()
  const timer = setInterval(() => {
    round = round.then(() => clean(deps)).catch((error: unknown) => deps.warn({ err: error }, 'old entries could not be deleted; tried again in a minute'))
  }, EVERY_MS)
  timer.unref()
  return async () => {
    clearInterval(timer)
    await round
  }
}

/** Deletes what is older than it may be, once. */
export async function clean(deps: MaintenanceDeps): Promise<void> {
  const { settings } = await deps.snapshots.current()
  await pruneAuditEntries(deps.db.knex, deps.now() - settings.auditRetentionMs)
  await pruneDeliveries(deps.db.knex, deps.now() - WEBHOOK_DELIVERIES_KEPT_MS)
  await forgetEndedSecrets(deps.db.knex, deps.now())
}
