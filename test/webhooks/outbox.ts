import { randomUUID } from 'node:crypto'
import { createSender } from '../../src/outgoing/send.ts'
import type { Sender } from '../../src/outgoing/send.ts'
import { listAuditEntries } from '../../src/store/audit-entries.ts'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import type { Database } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import { registryMigrations } from '../../src/store/migrations/registry/index.ts'
import { lockRevision } from '../../src/store/revision.ts'
import { announce } from '../../src/webhooks/announce.ts'
import type { Send } from '../../src/webhooks/attempt.ts'
import { startDispatcher } from '../../src/webhooks/dispatcher.ts'
import type { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { createWebhook } from '../../src/webhooks/webhooks.ts'
import { createTestDatabase } from '../support/database.ts'
import type { EngineName } from '../support/database.ts'

/** A delivery as its row says. */
export interface DeliveryRow {
  id: number
  webhook_id: number
  message_id: string
  attempts: number
  next_attempt_at: number | null
  outcome: string | null
  last_status: number | null
  last_error: string | null
  lease_token: string | null
}

/** The registry's database of a test's own with a clock that stands until it is moved, and dispatchers on it. */
export interface Outbox {
  db: Database
  /** Epoch milliseconds. */
  clock: { now: number }
  /** What the dispatchers wrote as warnings. */
  log: string[]
  /** @returns id and secret */
  addWebhook: (url: string) => Promise<{ id: number; secret: string }>
  /** Puts an announcement into the outbox. @returns its message id */
  announce: (words?: string) => Promise<string>
  rows: () => Promise<DeliveryRow[]>
  /** Actions of the audit entries about webhooks, the oldest first. */
  auditActions: () => Promise<string[]>
  /** Starts a dispatcher with connections of its own, as another process would have; it draws no jitter. */
  startDispatcher: (send?: (real: Send) => Send) => Dispatcher
  close: () => Promise<void>
}

export const NOON = Date.parse('2026-11-21T12:00:00Z')

export async function openOutbox(engine: EngineName): Promise<Outbox> {
  const home = await createTestDatabase(engine)
  const db = openDatabase(home.target)
  await migrate(db, registryMigrations, 'schema_migrations')
  const sender = createSender({ allowPrivateNetworks: true })
  const clock = { now: NOON }
  const log: string[] = []
  const started: { dispatcher: Dispatcher; db: Database }[] = []
  const now = () => clock.now
  const note = (facts: object, text: string) => void log.push(`${text} ${JSON.stringify(facts)}`)
  return {
    db,
    clock,
    log,
    addWebhook: (url) => createWebhook({ db, now }, { name: 'root' }, { url, namespaces: [], types: [] }),
    async announce(words = 'Paid.') {
      const id = `msg_${randomUUID()}`
      await db.knex.transaction(async (tx) => {
        // As every change does: on SQLite a transaction that begins with a read may not get the lock later.
        await lockRevision(tx)
        await announce(tx, { type: 'event.published', id, at: clock.now, publishedBy: 'root', event: { namespace: 'shop', name: 'paid', version: '1-0-0', description: words }, previousVersion: undefined, changes: [] })
      })
      return id
    },
    rows: async () => (await db.knex<DeliveryRow>('webhook_deliveries').orderBy('id')),
    auditActions: async () => (await listAuditEntries(db.knex, { entity: 'webhook', limit: 1000 })).map(({ action }) => action).reverse(),
    startDispatcher(send = (real) => real) {
      const own = openDatabase(home.target)
      const dispatcher = startDispatcher({ db: own, now, newId: randomUUID, random: () => 0, log: { warn: note }, send: send(sendWith(sender)) })
      started.push({ dispatcher, db: own })
      return dispatcher
    },
    async close() {
      for (const { dispatcher, db: own } of started) {
        await dispatcher.stop()
        await closeDatabase(own)
      }
      sender.close()
      await closeDatabase(db)
      await home.remove()
    },
  }
}

/** As main.ts does it. */
function sendWith(sender: Sender): Send {
  return async (request, signal) => {
    const answer = await sender.send(request, signal)
    return answer.kind === 'answer' ? { status: answer.status, body: answer.body } : { error: answer.message }
  }
}
