import type { Migration } from '../../migrate.ts'

/** The revision row that puts changes in line, and the log of those changes. */
export const revisionAndAudit: Migration = {
  name: '0001-revision-and-audit',
  async up(knex, dialect) {
    await knex.schema.createTable('revision', (table) => {
      table.integer('id').primary()
      for (const column of ['value', 'event', 'source', 'destination', 'key', 'webhook', 'config']) {
        table.bigInteger(column).notNullable().defaultTo(0)
      }
      dialect.finishTable(table)
    })
    await knex('revision').insert({ id: 1 })
    await knex.schema.createTable('audit_entries', (table) => {
      table.bigIncrements('id')
      table.bigInteger('at').notNullable().index()
      table.string('action', 40).notNullable()
      table.string('entity', 20).notNullable().index()
      table.string('entity_id', 320).notNullable()
      table.bigInteger('user_id')
      table.string('user_name', 200)
      table.string('user_role', 20)
      table.string('ip', 64)
      table.string('request_id', 64)
      dialect.longText(table, 'before')
      dialect.longText(table, 'after')
      table.string('reason', 1000)
      dialect.finishTable(table)
    })
  },
}
