import type { Migration } from '../../migrate.ts'
import { log } from './0001-log.ts'
import { delivery } from './0002-delivery.ts'
import { attempts } from './0003-attempts.ts'
import { replays } from './0004-replays.ts'
import { flushMark } from './0005-flush-mark.ts'
import { packs } from './0006-packs.ts'
import { packEvents } from './0007-pack-events.ts'
import { quarantine } from './0008-quarantine.ts'
import { keptRequests } from './0009-kept-requests.ts'

/** Bookkeeping table of the relay's migrations: on MySQL they share a database with the registry's. */
export const RELAY_MIGRATIONS_TABLE = 'relay_schema_migrations'

/** The relay's schema, step by step. */
export const relayMigrations: Migration[] = [log, delivery, attempts, replays, flushMark, packs, packEvents, quarantine, keptRequests]
