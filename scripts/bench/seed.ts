import { generateKey, hashKey, keyPrefix } from '../../src/admin/key-format.ts'
import { checkSpec } from '../../src/registry/check-spec.ts'
import type { EventSpec } from '../../src/registry/event-spec.ts'
import { refreshLatest } from '../../src/registry/latest.ts'
import { insertApiKey } from '../../src/store/api-keys.ts'
import type { Database } from '../../src/store/db.ts'
import { insertSpec } from '../../src/store/event-specs.ts'
import { keepRequest } from '../../src/relay/kept-request.ts'
import { appendGroup } from '../../src/relay/log/append-group.ts'
import { insertSource } from '../../src/store/sources.ts'
import { madeId, newIdPrefix } from '../../src/store/relay/made-id.ts'
import type { NewEvent } from '../../src/store/relay/relay-event.ts'
import { orderSpec, trackCall } from './payloads.ts'

const PER_TRANSACTION = 5000
const PER_BATCH = 100
const USERS = 5000

/** Fills a registry past its own rules, which would take hours; everything is there as if it had come one by one. */
export async function seedRegistry(db: Database, sizes: { specs: number; sources: number; keys: number }): Promise<void> {
  const at = { createdAt: Date.now(), updatedAt: Date.now() }
  await db.knex.transaction(async (tx) => {
    for (let n = 0; n < sizes.specs; n++) {
      const spec = checkSpec(orderSpec('crowd', `event_${n}`, `Event ${n}`)) as EventSpec
      await insertSpec(tx, { spec, publishedAt: at.createdAt, publishedBy: 'bench', updatedAt: at.updatedAt }, 1)
      await refreshLatest(tx, spec)
    }
    for (let n = 0; n < sizes.sources; n++) {
      await insertSource(tx, { name: `crowd-${n}`, platform: 'web', language: 'javascript', events: ['crowd/**'], destinations: ['nothing'], versionPinning: {}, ...at })
    }
  })
  for (let done = 0; done < sizes.keys; done += PER_TRANSACTION) {
    await db.knex.transaction(async (tx) => {
      for (let n = done; n < Math.min(sizes.keys, done + PER_TRANSACTION); n++) {
        const key = generateKey()
        await insertApiKey(tx, {
          hash: hashKey(key), prefix: keyPrefix(key), role: 'publisher', name: `key ${n}`, createdBy: 'bench', createdAt: at.createdAt,
          expiresAt: undefined, lastUsedAt: undefined, revokedAt: undefined,
        }, 1)
      }
    })
  }
}

/** Writes events that wait for destinations, as batches of 100 leave them. @param count a multiple of 100 */
export async function seedBacklog(db: Database, count: number, destinationIds: number[] = [1]): Promise<void> {
  for (let done = 0; done < count; done += PER_TRANSACTION) {
    await appendGroup(db, Array.from({ length: Math.min(PER_TRANSACTION, count - done) / PER_BATCH }, (_, n) => batchOf(done + n * PER_BATCH, destinationIds)))
  }
}

function batchOf(first: number, destinationIds: number[]): NewEvent[] {
  // Of many users, as a backlog is: events of one user go one after the other.
  const events = Array.from({ length: PER_BATCH }, (_, n) => ({ type: 'track', user_id: `u-${(first + n) % USERS}`, ...trackCall() }))
  const body = Buffer.from(JSON.stringify({ source: 'web-shop', events }))
  const [receivedAt, idPrefix] = [Date.now(), newIdPrefix()]
  const request = keepRequest({ receivedAt, body, ip: '127.0.0.1', userAgent: 'bench' }, { call: 'batch', events: PER_BATCH, maxEventBytes: body.length })
  if (!request) throw new Error('a batch of the benchmark is too large to be kept as it came')
  return events.map((_, item) => ({
    source: 'web-shop', messageId: madeId(idPrefix, item), idPrefix, type: 'track', eventName: 'Order Completed',
    verdict: 'accepted', destinationIds, spec: undefined, violations: undefined, receivedAt, event: { request, item },
  }))
}
