import { SECOND } from '../duration.ts'
import { markApiKeysUsed } from '../store/api-keys.ts'
import type { Database } from '../store/db.ts'

/** Notes when keys were last used, without a write per request. */
export interface KeyUsage {
  note(keyId: number, at: number): void
  /** Writes what is still in memory. */
  stop(): Promise<void>
}

// last_used_at is for people: it may lag by this much, and the last seconds before a crash may be missing.
const WRITE_EVERY_MS = 10 * SECOND

export function startKeyUsage(deps: { db: Database; warn: (facts: object, text: string) => void }): KeyUsage {
  let pending = new Map<number, number>()
  const write = async () => {
    if (pending.size === 0) return
    const uses = pending
    pending = new Map()
    await markApiKeysUsed(deps.db.knex, uses).catch((error: unknown) => deps.warn({ err: error }, 'the last use of some keys could not be noted'))
  }
  const timer = setInterval(() => void write(), WRITE_EVERY_MS)
  timer.unref()
  return {
    note: (keyId, at) => void pending.set(keyId, at),
    async stop() {
      clearInterval(timer)
      await write()
    },
  }
}
