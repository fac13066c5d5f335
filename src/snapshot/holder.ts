import type { Database } from '../store/db.ts'
import { readRevision } from '../store/revision.ts'
import { emptyContent, refreshContent } from './content.ts'
import type { Content } from './content.ts'
import type { Snapshot, SnapshotHolder } from './snapshot.ts'
import { createSpecCompiler } from './spec-compiler.ts'
import { viewOf } from './view.ts'

/**
 * Keeps the snapshot in step with the database.
 *
 * There is no time-to-live: every call learns the revision from a read that began after the call, and a single read
 * serves all calls that wait for it. So a key revoked on any instance is refused by the next request on every instance,
 * for the price of one tiny read per group of requests.
 * @param currentRevision a cheaper read of the revision, where there is one
 */
export function createSnapshotHolder(db: Database, currentRevision = () => readRevision(db.knex)): SnapshotHolder {
  const compiler = createSpecCompiler(db)
  let content: Content = emptyContent()
  let view: Snapshot | undefined
  /** The read that has not begun: whoever comes now may share it. */
  let next: Promise<Snapshot> | undefined
  let reading: Promise<unknown> = Promise.resolve()

  const read = async (): Promise<Snapshot> => {
    const revision = await currentRevision()
    if (!view || revision.value !== content.revision.value) {
      content = await refreshContent(db, content, revision)
      view = viewOf(content, compiler)
    }
    return view
  }

  const begin = async (): Promise<Snapshot> => {
    // One refresh at a time, each building on the one before; a read that failed has told its own callers.
    await reading.catch(ignore)
    // All requests that the event loop finds in this turn share one read.
    await new Promise((resolve) => setImmediate(resolve))
    next = undefined
    const started = read()
    reading = started
    return started
  }

  return { current: () => (next ??= begin()) }
}

function ignore(): void {
  // The one after it tries again.
}
