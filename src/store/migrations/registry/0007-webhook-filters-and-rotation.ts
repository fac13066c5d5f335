import type { Migration } from '../../migrate.ts'

/** What a webhook wants to hear of, and the secret that still signs for a while after it was replaced. */
export const webhookFiltersAndRotation: Migration = {
  name: '0007-webhook-filters-and-rotation',
  async up(knex, dialect) {
    await knex.schema.alterTable('webhooks', (table) => {
      // JSON arrays; empty for webhooks that hear of everything.
      dialect.longText(table, 'namespaces')
      table.string('types', 200)
      table.string('previous_secret', 200)
      table.bigInteger('previous_secret_until')
    })
  },
}
