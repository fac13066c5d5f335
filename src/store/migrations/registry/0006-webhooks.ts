import type { Migration } from '../../migrate.ts'

/** Webhooks and their outbox: a delivery row is written in the transaction of the publication that it announces. */
export const webhooks: Migration = {
  name: '0006-webhooks',
  async up(knex, dialect) {
    await knex.schema.createTable('webhooks', (table) => {
      table.bigIncrements('id')
      table.string('url', 2000).notNullable()
      table.string('secret', 200).notNullable()
      table.bigInteger('created_at').notNullable()
      table.bigInteger('failing_since')
      table.bigInteger('disabled_at')
      table.string('disabled_reason', 500)
      table.bigInteger('last_delivery_at')
      table.integer('last_delivery_status')
      dialect.finishTable(table)
    })
    await knex.schema.createTable('webhook_deliveries', (table) => {
      table.bigIncrements('id')
      table.bigInteger('webhook_id').notNullable()
      // Stable over retries: what the receiver deduplicates by.
      table.string('message_id', 100).notNullable()
      table.string('type', 60).notNullable()
      dialect.longText(table, 'payload').notNullable()
      table.bigInteger('created_at').notNullable()
      table.integer('attempts').notNullable().defaultTo(0)
      // Empty once the delivery is settled.
      table.bigInteger('next_attempt_at').index()
      table.string('outcome', 20)
      table.integer('last_status')
      table.string('last_error', 500)
      table.bigInteger('settled_at')
      table.string('lease_token', 40)
      table.bigInteger('lease_until')
      table.index(['webhook_id', 'id'])
      dialect.finishTable(table)
    })
  },
}
