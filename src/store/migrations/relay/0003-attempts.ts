import type { Migration } from '../../migrate.ts'

/**
 * What became of events that a destination did not take at once. An event that was delivered by its first attempt has no row
 * here: the destination's cursor says that it is done.
 */
export const attempts: Migration = {
  name: '0003-attempts',
  async up(knex, dialect) {
    await knex.schema.createTable('relay_attempts', (table) => {
      table.bigInteger('seq').notNullable()
      table.bigInteger('destination_id').notNullable()
      // retrying, delivered, dead
      table.string('outcome', 10).notNullable()
      table.integer('attempts').notNullable()
      // Status, duration and words of the last attempt; no status when there was no answer.
      table.integer('status')
      table.integer('duration_ms')
      table.string('message', 1000)
      table.bigInteger('attempted_at')
      table.primary(['seq', 'destination_id'])
      table.index(['destination_id', 'outcome', 'seq'])
      dialect.finishTable(table)
    })
  },
}
