import type { Migration } from '../../migrate.ts'

/** Changes no table: from here on packs hold requests as they came, which an older release would take for events. It refuses this database. */
export const keptRequests: Migration = {
  name: '0009-kept-requests',
  async up() {
    // Nothing to do.
  },
}
