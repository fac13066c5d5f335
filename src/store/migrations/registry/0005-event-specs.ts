import type { Migration } from '../../migrate.ts'

/** Every version of every event spec. Rows are never deleted, and a document never changes once it is not a draft. */
export const eventSpecs: Migration = {
  name: '0005-event-specs',
  async up(knex, dialect) {
    await knex.schema.createTable('event_specs', (table) => {
      table.bigIncrements('id')
      table.string('namespace', 100).notNullable()
      table.string('name', 100).notNullable()
      table.bigInteger('major').notNullable()
      table.bigInteger('minor').notNullable()
      table.bigInteger('patch').notNullable()
      table.string('status', 20).notNullable()
      table.string('type', 20).notNullable()
      table.string('event_name', 200).notNullable()
      // The version that is meant when none is named; written with each change of an event's versions.
      table.boolean('is_latest').notNullable().defaultTo(false)
      table.string('owner', 500)
      dialect.longText(table, 'tags').notNullable()
      // Names, descriptions, tags and property names in lower case: what a free-text search looks through.
      dialect.longText(table, 'search_text').notNullable()
      dialect.longText(table, 'document').notNullable()
      table.bigInteger('published_at').notNullable()
      table.string('published_by', 200)
      table.bigInteger('updated_at').notNullable()
      table.bigInteger('revision').notNullable().index()
      table.unique(['namespace', 'name', 'major', 'minor', 'patch'])
      table.index(['is_latest', 'namespace', 'name'])
      dialect.finishTable(table)
    })
  },
}
