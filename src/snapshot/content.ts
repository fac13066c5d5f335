import { apiKeysSince, anyApiKey } from '../store/api-keys.ts'
import type { ApiKey } from '../store/api-keys.ts'
import type { Database } from '../store/db.ts'
import { listDestinations } from '../store/destinations.ts'
import type { Destination } from '../store/destinations.ts'
import { specHeadsSince } from '../store/event-specs.ts'
import type { Revision } from '../store/revision.ts'
import { listStoredSettings } from '../store/settings.ts'
import { listSources } from '../store/sources.ts'
import type { Source } from '../store/sources.ts'
import { readSettings } from '../settings.ts'
import type { Settings } from '../settings.ts'
import { SpecIndex } from './spec-index.ts'

/** What was read of the registry, and at which revision. Keys and specs only ever grow, so they are kept and added to. */
export interface Content {
  revision: Revision
  anyKey: boolean
  keys: Map<string, ApiKey>
  settings: Settings
  sources: readonly Source[]
  destinations: readonly Destination[]
  specs: SpecIndex
}

const BEFORE_ALL: Revision = { value: -1, event: -1, source: -1, destination: -1, key: -1, webhook: -1, config: -1 }

/** The content before anything was read. */
export function emptyContent(): Content {
  return { revision: BEFORE_ALL, anyKey: false, keys: new Map(), settings: readSettings(new Map()), sources: [], destinations: [], specs: new SpecIndex() }
}

/** Reads what changed since `old`: only the kinds of thing that the revision row says have moved. */
export async function refreshContent(db: Database, old: Content, revision: Revision): Promise<Content> {
  const moved = (kind: keyof Revision) => revision[kind] !== old.revision[kind]
  return {
    revision,
    anyKey: old.anyKey || (await anyApiKey(db.knex)),
    keys: moved('key') ? withKeys(old.keys, await apiKeysSince(db.knex, old.revision.key)) : old.keys,
    settings: moved('config') ? await currentSettings(db) : old.settings,
    sources: moved('source') ? await listSources(db.knex) : old.sources,
    destinations: moved('destination') ? await listDestinations(db.knex) : old.destinations,
    specs: moved('event') ? old.specs.with(await specHeadsSince(db.knex, old.revision.event)) : old.specs,
  }
}

/** Adds keys in place: the map is shared by all views, and a key is only ever replaced by a newer state of itself. */
function withKeys(keys: Map<string, ApiKey>, changed: ApiKey[]): Map<string, ApiKey> {
  for (const key of changed) keys.set(key.hash, key)
  return keys
}

async function currentSettings(db: Database): Promise<Settings> {
  return readSettings(new Map((await listStoredSettings(db.knex)).map((setting) => [setting.key, setting.value])))
}
