import type { Migration } from '../../migrate.ts'

/** Sources and destinations. A source names its destinations freely: they may be registered later. */
export const sourcesAndDestinations: Migration = {
  name: '0004-sources-and-destinations',
  async up(knex, dialect) {
    await knex.schema.createTable('sources', (table) => {
      table.bigIncrements('id')
      table.string('name', 100).notNullable().unique()
      table.string('platform', 200).notNullable()
      table.string('language', 200).notNullable()
      dialect.longText(table, 'events').notNullable()
      dialect.longText(table, 'destinations').notNullable()
      dialect.longText(table, 'version_pinning').notNullable()
      table.bigInteger('created_at').notNullable()
      table.bigInteger('updated_at').notNullable()
      dialect.finishTable(table)
    })
    await knex.schema.createTable('destinations', (table) => {
      table.bigIncrements('id')
      table.string('name', 100).notNullable().unique()
      table.string('provider', 40).notNullable()
      dialect.longText(table, 'config').notNullable()
      // Raised by each change: a delivery that was halted under an older generation tries again.
      table.bigInteger('generation').notNullable()
      table.bigInteger('paused_at')
      table.string('paused_reason', 1000)
      table.bigInteger('created_at').notNullable()
      table.bigInteger('updated_at').notNullable()
      dialect.finishTable(table)
    })
  },
}
