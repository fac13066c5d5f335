import type { Migration } from '../../migrate.ts'

/** Settings that differ from their defaults. */
export const settings: Migration = {
  name: '0003-settings',
  async up(knex, dialect) {
    await knex.schema.createTable('settings', (table) => {
      table.string('key', 60).primary()
      table.string('value', 200).notNullable()
      table.bigInteger('updated_at').notNullable()
      table.string('updated_by', 200)
      dialect.finishTable(table)
    })
  },
}
