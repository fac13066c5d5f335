import { expect } from 'chai'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import { migrate } from '../../src/store/migrate.ts'
import { registryMigrations } from '../../src/store/migrations/registry/index.ts'
import { listLoggedDeliveries } from '../../src/store/webhook-deliveries.ts'
import { findSigningSecrets } from '../../src/store/webhook-secrets.ts'
import { listWebhooks } from '../../src/store/webhooks.ts'
import { createTestDatabase, onEachEngine } from '../support/database.ts'

const BEFORE_FILTERS = '0006-webhooks'

onEachEngine((engine) => {
  describe('an upgrade from before webhooks had filters and a log', () => {
    it('keeps webhooks, which go on to hear of everything, and their deliveries', async () => {
      const home = await createTestDatabase(engine)
      const db = openDatabase(home.target)
      try {
        const last = registryMigrations.findIndex(({ name }) => name === BEFORE_FILTERS)
        await migrate(db, registryMigrations.slice(0, last + 1), 'schema_migrations')
        await db.knex('webhooks').insert({ url: 'https://example.com/', secret: 'whsec_old', created_at: 1 })
        await db.knex('webhook_deliveries').insert({ webhook_id: 1, message_id: 'msg_1', type: 'event.published', payload: '{}', created_at: 2, next_attempt_at: 3, attempts: 1 })
        await migrate(db, registryMigrations, 'schema_migrations')
        expect(await listWebhooks(db.knex)).to.deep.equal([
          {
            id: 1, url: 'https://example.com/', namespaces: [], types: [], createdAt: 1, failingSince: undefined, disabledAt: undefined, disabledReason: undefined,
            lastDeliveryAt: undefined, lastDeliveryStatus: undefined, previousSecretUntil: undefined,
          },
        ])
        expect(await findSigningSecrets(db.knex, 1, 5)).to.deep.equal(['whsec_old'])
        expect(await listLoggedDeliveries(db.knex, { webhookId: 1, limit: 10 })).to.deep.equal([
          { id: 1, messageId: 'msg_1', type: 'event.published', subject: undefined, state: 'pending', createdAt: 2, nextAttemptAt: 3, settledAt: undefined },
        ])
      } finally {
        await closeDatabase(db)
        await home.remove()
      }
    })
  })
})
