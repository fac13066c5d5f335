import type { Snapshot } from './snapshot.ts'

/** Keeps what was read of the registry for as long as the registry does not change. */
export interface ReadMemory {
  /**
   * What was read under `key` at the snapshot's revision, or what `read` answers now. The revision rises with every change, on every
   * instance, so that nothing outlives the change that makes it untrue.
   */
  recall<T>(snapshot: Snapshot, key: string, read: () => Promise<T>): Promise<T>
}

// In characters of JSON, which take up to five times as many bytes as objects.
const MOST_CHARACTERS = 8 * 1024 * 1024

/** @param most of everything together, in characters of its JSON; what was used longest ago goes first */
export function createReadMemory(most = MOST_CHARACTERS): ReadMemory {
  const known = new Map<string, { value: unknown; size: number }>()
  let revision = -1
  let size = 0

  const forget = (key: string) => {
    size -= known.get(key)?.size ?? 0
    known.delete(key)
  }
  const keep = (key: string, value: unknown) => {
    forget(key)
    const entry = { value, size: key.length + JSON.stringify(value).length }
    known.set(key, entry)
    size += entry.size
    for (const oldest of known.keys()) {
      if (size <= most) break
      forget(oldest)
    }
  }

  return {
    async recall<T>(snapshot: Snapshot, key: string, read: () => Promise<T>): Promise<T> {
      if (snapshot.revision > revision) {
        known.clear()
        size = 0
        revision = snapshot.revision
      }
      // A request that began before the last change may see the registry as it was then, but not the memory of it.
      if (snapshot.revision < revision) return read()
      const entry = known.get(key)
      if (entry) {
        // Moved to the end: the one used longest ago stands first.
        known.delete(key)
        known.set(key, entry)
        return entry.value as T
      }
      const value = await read()
      if (snapshot.revision === revision) keep(key, value)
      return value
    },
  }
}
