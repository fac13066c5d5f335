import type { Migration } from '../../migrate.ts'

/** The relay's append-only log of events, and the counter that numbers them. */
export const log: Migration = {
  name: '0001-log',
  async up(knex, dialect) {
    await knex.schema.createTable('relay_sequence', (table) => {
      table.integer('id').primary()
      table.bigInteger('last').notNullable()
      dialect.finishTable(table)
    })
    await knex('relay_sequence').insert({ id: 1, last: 0 })
    await knex.schema.createTable('relay_events', (table) => {
      // Always given by relay_sequence. The type is the one that makes SQLite order the table itself by this number.
      table.bigIncrements('seq')
      // Empty on replays: they carry the message_id of an event that is in the log already.
      table.string('dedupe_key', 255).unique()
      table.string('source', 100).notNullable()
      table.string('message_id', 100).notNullable()
      table.string('type', 10).notNullable()
      table.string('event_name', 200)
      table.string('verdict', 12).notNullable()
      dialect.longText(table, 'destinations').notNullable()
      table.string('spec', 320)
      table.bigInteger('received_at').notNullable()
      dialect.longText(table, 'violations')
      // Last, since it is long: a scan that only looks at the columns before it never reads its pages.
      dialect.longText(table, 'event').notNullable()
      table.index(['verdict', 'seq'])
      dialect.finishTable(table)
    })
  },
}
