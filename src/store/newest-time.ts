import type { Executor } from './db.ts'

/** The latest time that the registry or the relay's log noted, `undefined` while both are empty. */
export async function newestStoredTime(registry: Executor, relay: Executor): Promise<number | undefined> {
  // By their keys: the times themselves carry no index in the log.
  const audit = await registry('audit_entries').orderBy('id', 'desc').first<{ at: number } | undefined>('at')
  const pack = await relay('relay_packs').orderBy('last_seq', 'desc').first<{ at: number } | undefined>({ at: 'received_at' })
  const apart = await relay('relay_quarantine').orderBy('seq', 'desc').first<{ at: number } | undefined>({ at: 'received_at' })
  const times = [audit?.at, pack?.at, apart?.at].filter((at) => at !== undefined)
  return times.length === 0 ? undefined : Math.max(...times)
}
