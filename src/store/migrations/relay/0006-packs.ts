import type { Migration } from '../../migrate.ts'

/** Events in packs of neighbours, and what makes them findable one by one. */
export const packs: Migration = {
  name: '0006-packs',
  async up(knex, dialect) {
    await knex.schema.createTable('relay_packs', (table) => {
      dialect.sequenceKey(table, 'last_seq')
      table.bigInteger('first_seq').notNullable()
      table.bigInteger('received_at').notNullable()
      dialect.longText(table, 'destinations').notNullable()
      dialect.longText(table, 'heads').notNullable()
      dialect.longText(table, 'items').notNullable()
      // Last, since it is long: a scan that only looks at the columns before it never reads its pages.
      table.specificType('events', 'longblob').notNullable()
      dialect.finishTable(table)
    })
    await knex.schema.createTable('relay_message_ids', (table) => {
      dialect.sequenceKey(table, 'seq')
      table.string('dedupe_key', 255).notNullable().unique()
      dialect.finishTable(table)
    })
  },
}
