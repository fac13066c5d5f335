import type { Migration } from '../../migrate.ts'

/** Counts flushes, so that the workers of other processes hear of them. */
export const flushMark: Migration = {
  name: '0005-flush-mark',
  async up(knex, dialect) {
    await knex.schema.createTable('relay_flush_mark', (table) => {
      table.integer('id').primary()
      table.bigInteger('mark').notNullable()
      dialect.finishTable(table)
    })
    await knex('relay_flush_mark').insert({ id: 1, mark: 0 })
  },
}
