import { closeDatabase, openDatabase } from '../../../src/store/db.ts'
import type { Database } from '../../../src/store/db.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { RELAY_MIGRATIONS_TABLE, relayMigrations } from '../../../src/store/migrations/relay/index.ts'
import { relayTarget } from '../../../src/store/relay/relay-target.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { EngineName } from '../../support/database.ts'
import { keepRequest } from '../../../src/relay/kept-request.ts'
import type { NewEvent } from '../../../src/relay/log/log.ts'
import { madeId, newIdPrefix } from '../../../src/store/relay/made-id.ts'

/** A migrated relay database of a test's own. */
export interface RelayDatabase {
  db: Database
  /** A second connection pool to the same database, as another process would have. */
  openAnother: () => Database
  remove: () => Promise<void>
}

export async function createRelayDatabase(engine: EngineName): Promise<RelayDatabase> {
  const home = await createTestDatabase(engine)
  const target = relayTarget(home.target)
  const opened = [openDatabase(target)]
  const db = opened[0] as Database
  await migrate(db, relayMigrations, RELAY_MIGRATIONS_TABLE)
  return {
    db,
    openAnother() {
      const another = openDatabase(target)
      opened.push(another)
      return another
    },
    async remove() {
      for (const each of opened) await closeDatabase(each)
      await home.remove()
    },
  }
}

/** A track event for the log; `canonical` goes into its JSON. */
export function newEvent(messageId: string, destinationIds: number[], canonical: Record<string, unknown> = {}): NewEvent & { event: string } {
  const source = 'web'
  const event = {
    type: 'track', message_id: messageId, source, event_name: 'Signed Up', properties: {}, context: { attributes: {} },
    timestamp: '2026-11-21T09:30:00.000Z', received_at: '2026-11-21T09:30:00.000Z', ...canonical,
  }
  return {
    source, messageId, type: event.type, eventName: event.event_name, verdict: 'accepted',
    destinationIds, spec: undefined, violations: undefined, receivedAt: 1000, event: JSON.stringify(event),
  }
}

/** The events of one batch that is kept as it came; `ids` are those its sender gave, the others are made from `idPrefix`. */
export function keptBatch(count: number, { idPrefix = newIdPrefix(), ids = [], destinationIds = [7] }: { idPrefix?: string; ids?: (string | undefined)[]; destinationIds?: number[] } = {}): NewEvent[] {
  const events = Array.from({ length: count }, (_, n) => ({ type: 'track', event_name: 'Signed Up', properties: { n } }))
  const request = keepRequest({ receivedAt: 1000, body: Buffer.from(JSON.stringify({ source: 'web', events })) }, { call: 'batch', events: count, maxEventBytes: 1000 })
  if (!request) throw new Error('such a batch is not kept as it came')
  return events.map((_, item) => ({
    ...newEvent(ids[item] ?? madeId(idPrefix, item), destinationIds), destinationIds, idPrefix: ids[item] === undefined ? idPrefix : undefined, event: { request, item },
  }))
}

/** Waits until `condition` holds; real time, since what is waited for happens on real sockets. */
export async function until(condition: () => boolean | Promise<boolean>, what = 'the condition', timeoutMs = 8000): Promise<void> {
  const deadline = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`${what} did not come true within ${timeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
