import type { Migration } from '../../migrate.ts'

/** What delivery remembers: how far each destination is, how many events it got, and what it could not take. */
export const delivery: Migration = {
  name: '0002-delivery',
  async up(knex, dialect) {
    await knex.schema.createTable('relay_cursors', (table) => {
      table.bigInteger('destination_id').primary()
      table.bigInteger('position').notNullable()
      table.string('lease_token', 64)
      table.bigInteger('lease_until')
      table.bigInteger('failing_since')
      table.bigInteger('halted_generation')
      table.string('halted_reason', 1000)
      table.bigInteger('halted_at')
      table.string('last_error', 1000)
      table.bigInteger('last_error_at')
      table.bigInteger('last_delivered_at')
      dialect.finishTable(table)
    })
    await knex.schema.createTable('relay_counters', (table) => {
      table.string('source', 100).notNullable()
      table.bigInteger('destination_id').notNullable()
      table.bigInteger('accepted').notNullable().defaultTo(0)
      table.bigInteger('delivered').notNullable().defaultTo(0)
      table.bigInteger('dead').notNullable().defaultTo(0)
      table.primary(['source', 'destination_id'])
      dialect.finishTable(table)
    })
    await knex.schema.createTable('dead_letters', (table) => {
      table.bigIncrements('id')
      table.bigInteger('seq').notNullable()
      table.bigInteger('destination_id').notNullable()
      table.string('destination', 100).notNullable()
      table.string('source', 100).notNullable()
      table.string('message_id', 100).notNullable()
      table.string('type', 10).notNullable()
      table.string('event_name', 200)
      table.string('code', 60).notNullable()
      table.string('reason', 1000).notNullable()
      table.integer('attempts').notNullable()
      table.bigInteger('failed_at').notNullable()
      table.bigInteger('received_at').notNullable()
      dialect.longText(table, 'event').notNullable()
      table.index(['destination_id', 'id'])
      dialect.finishTable(table)
    })
  },
}
