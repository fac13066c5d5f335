import type { Migration } from '../../migrate.ts'

/** API keys: only the SHA-256 of each, never the key. */
export const apiKeys: Migration = {
  name: '0002-api-keys',
  async up(knex, dialect) {
    await knex.schema.createTable('api_keys', (table) => {
      table.bigIncrements('id')
      table.string('hash', 64).notNullable().unique()
      table.string('prefix', 20).notNullable()
      table.string('role', 20).notNullable()
      table.string('name', 200)
      table.string('created_by', 200)
      table.bigInteger('created_at').notNullable()
      table.bigInteger('expires_at')
      table.bigInteger('last_used_at')
      table.bigInteger('revoked_at')
      table.bigInteger('revision').notNullable().index()
      dialect.finishTable(table)
    })
  },
}
