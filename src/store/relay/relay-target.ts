import { join, parse } from 'node:path'
import type { DatabaseTarget } from '../dialect.ts'

/**
 * Where the relay's tables live: on SQLite in a file of their own beside the registry's, so that the hot log never
 * waits for the registry's writer; on MySQL in the same database.
 */
export function relayTarget(registry: DatabaseTarget): DatabaseTarget {
  if (registry.engine !== 'sqlite') return registry
  if (registry.filename === ':memory:') return { ...registry, inThread: true }
  const { dir, name } = parse(registry.filename)
  // Named after the registry's file: two services in one directory must not share a log.
  return { engine: 'sqlite', filename: join(dir, `${name}-relay.db`), inThread: true }
}
