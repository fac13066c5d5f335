import { closeDatabase, openDatabase } from '../../../src/store/db.ts'
import type { Database } from '../../../src/store/db.ts'
import { migrate } from '../../../src/store/migrate.ts'
import { registryMigrations } from '../../../src/store/migrations/registry/index.ts'
import { RELAY_MIGRATIONS_TABLE, relayMigrations } from '../../../src/store/migrations/relay/index.ts'
import { relayTarget } from '../../../src/store/relay/relay-target.ts'
import type { TestDatabase } from '../../support/database.ts'

// The last steps of the schema that the first release had.
const LAST_REGISTRY_STEP = '0006-webhooks'
const LAST_RELAY_STEP = '0005-flush-mark'

/** What the users of the first release hold in their hands, written down here as it was then: later code must still take it. */
export const FIRST_RELEASE = {
  adminKey: 'sb_xzJgIjw4Wd3VP0vvrK5rqyM7Y3nWacWwyNzXPKPn0tv92m',
  webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
  header: 'a-header-of-theirs',
  messageId: 'sent-before-the-upgrade',
  quarantinedId: 'quarantined-before-the-upgrade',
}

/** Writes a database as the first release left it: stopped while one event waited. @param address of the destination and of the webhook */
export async function writeFirstRelease(home: TestDatabase, address: string, at: number): Promise<void> {
  const spec = { namespace: 'shop', name: 'paid', version: '1-0-0', event_name: 'Paid', properties: { total: { type: 'number', required: true } }, status: 'active', type: 'track' }
  const registry = openDatabase(home.target)
  await migrate(registry, registryMigrations.filter(({ name }) => name <= LAST_REGISTRY_STEP), 'schema_migrations')
  await insert(registry, {
    api_keys: { id: 1, hash: '2ee2af7e5a07780cb5b8920b1a2ea8a7b01eed5d4c14bc343a78e32c1f10f30e', prefix: 'sb_xzJgIjw4', role: 'admin', name: 'root', created_at: at, revision: 1 },
    settings: { key: 'relay_unplanned', value: 'block', updated_at: at, updated_by: 'root' },
    destinations: { id: 1, name: 'sink', provider: 'http', config: JSON.stringify({ url: address, headers: { 'X-Token': FIRST_RELEASE.header } }), generation: 1, created_at: at, updated_at: at },
    sources: { id: 1, name: 'web', platform: '', language: '', events: '[]', destinations: '["sink"]', version_pinning: '{}', created_at: at, updated_at: at },
    event_specs: {
      id: 1, namespace: 'shop', name: 'paid', major: 1, minor: 0, patch: 0, status: 'active', type: 'track', event_name: 'Paid', is_latest: true, tags: '[]',
      search_text: 'shop\npaid\npaid\ntotal', document: JSON.stringify(spec), published_at: at, published_by: 'root', updated_at: at, revision: 2,
    },
    webhooks: { id: 1, url: address, secret: FIRST_RELEASE.webhookSecret, created_at: at },
    audit_entries: { id: 1, at, action: 'created', entity: 'source', entity_id: 'web', user_id: 1, user_name: 'root', user_role: 'admin', after: '{"name":"web"}' },
  })
  await registry.knex('revision').update({ value: 6, key: 1, event: 2, destination: 3, source: 4, webhook: 5, config: 6 })
  await closeDatabase(registry)

  const time = new Date(at).toISOString()
  const event = {
    type: 'track', message_id: FIRST_RELEASE.messageId, source: 'web', event_name: 'Paid', properties: { total: 5 }, user_id: 'u-1',
    context: { attributes: { user_agent: 'curl/7.88.1', ip_address: '127.0.0.1' } }, timestamp: time, received_at: time,
  }
  const relay = openDatabase(relayTarget(home.target))
  await migrate(relay, relayMigrations.filter(({ name }) => name <= LAST_RELAY_STEP), RELAY_MIGRATIONS_TABLE)
  const quarantined = { ...event, message_id: FIRST_RELEASE.quarantinedId, properties: { total: 'five' } }
  await insert(relay, {
    relay_events: {
      seq: 1, dedupe_key: `${FIRST_RELEASE.messageId}\nweb`, source: 'web', message_id: FIRST_RELEASE.messageId, type: 'track', event_name: 'Paid', verdict: 'accepted', destinations: ',1,',
      spec: 'shop/paid@1-0-0', received_at: at, event: JSON.stringify(event),
    },
    relay_cursors: { destination_id: 1, position: 0 },
    relay_counters: { source: 'web', destination_id: 1, accepted: 1, delivered: 0, dead: 0 },
  })
  await relay.knex('relay_events').insert({
    seq: 2, dedupe_key: `${FIRST_RELEASE.quarantinedId}\nweb`, source: 'web', message_id: FIRST_RELEASE.quarantinedId, type: 'track', event_name: 'Paid', verdict: 'quarantined', destinations: '',
    spec: 'shop/paid@1-0-0', violations: '[{"rule":"type","path":"/properties/total","message":"must be of type number"}]', received_at: at, event: JSON.stringify(quarantined),
  })
  await relay.knex('relay_sequence').update({ last: 2 })
  await closeDatabase(relay)
}

async function insert({ knex }: Database, rows: Record<string, object>): Promise<void> {
  for (const [table, row] of Object.entries(rows)) await knex(table).insert(row)
}
