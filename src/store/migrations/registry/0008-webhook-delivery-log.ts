import type { Migration } from '../../migrate.ts'

/** What a delivery is about, and what each attempt at it came to. */
export const webhookDeliveryLog: Migration = {
  name: '0008-webhook-delivery-log',
  async up(knex, dialect) {
    await knex.schema.alterTable('webhook_deliveries', (table) => {
      // namespace/name@version; empty for deliveries from before there was a log.
      table.string('subject', 320)
    })
    await knex.schema.createTable('webhook_attempts', (table) => {
      table.bigIncrements('id')
      table.bigInteger('delivery_id').notNullable()
      table.bigInteger('at').notNullable()
      // 0 when there was no answer.
      table.integer('status').notNullable()
      table.integer('duration_ms').notNullable()
      table.string('error', 500)
      // The beginning of the answer's body.
      dialect.longText(table, 'answer').notNullable()
      table.index(['delivery_id', 'id'])
      dialect.finishTable(table)
    })
  },
}
