import type { Migration } from '../../migrate.ts'

/** Which event of the log is the replay of which: replays have no dedupe key by which a message_id could find them. */
export const replays: Migration = {
  name: '0004-replays',
  async up(knex, dialect) {
    await knex.schema.createTable('relay_replays', (table) => {
      table.bigInteger('seq').primary()
      table.bigInteger('original_seq').notNullable()
      table.bigInteger('destination_id').notNullable()
      table.string('message_id', 100).notNullable()
      table.index(['message_id'])
      table.index(['original_seq', 'destination_id'])
      dialect.finishTable(table)
    })
    await knex.schema.alterTable('dead_letters', (table) => table.index(['seq', 'destination_id']))
  },
}
