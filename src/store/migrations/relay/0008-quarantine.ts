import type { Migration } from '../../migrate.ts'

/** What is left in the table is what is in quarantine. */
export const quarantine: Migration = {
  name: '0008-quarantine',
  async up(knex) {
    if (await knex.schema.hasTable('relay_events')) {
      await knex.schema.alterTable('relay_events', (table) => table.dropUnique(['dedupe_key']))
      await knex.raw('ALTER TABLE relay_events DROP COLUMN dedupe_key')
      await knex.schema.renameTable('relay_events', 'relay_quarantine')
    }
  },
}
