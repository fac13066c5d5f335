import { SignalbookError } from '../../error.ts'

export interface GroupCommitOptions<T, R> {
  /** Writes all requests of a group in one transaction; answers one result per request. */
  commit: (group: T[]) => Promise<R[]>
  /** True when the store cannot be reached or written for now. */
  isUnavailable: (error: unknown) => boolean
  /** Requests that wait may hold this much memory. */
  maxWaitingBytes: number
  /** A group ends once it holds this much; a single request may be larger. */
  maxGroupBytes: number
  /** A commit that takes longer has its callers told to try again; it may still succeed. */
  commitTimeoutMs: number
}

/** Turns many small writes into few transactions. */
export interface GroupCommit<T, R> {
  submit(request: T, bytes: number): Promise<R>
  close(): Promise<void>
}

interface Waiting<T, R> {
  request: T
  bytes: number
  resolve: (result: R) => void
  reject: (error: unknown) => void
}

/**
 * Requests that come while a commit is under way form the next group, so one fsync serves all of them and each waits for
 * at most two commits. No timer: an idle log commits a single request at once.
 */
export function createGroupCommit<T, R>(options: GroupCommitOptions<T, R>): GroupCommit<T, R> {
  let waiting: Waiting<T, R>[] = []
  let waitingBytes = 0
  let running: Promise<void> | undefined
  let stuck = false
  let closed = false

  function takeGroup(): Waiting<T, R>[] {
    let bytes = 0
    let count = 0
    for (const next of waiting) {
      if (count > 0 && bytes + next.bytes > options.maxGroupBytes) break
      bytes += next.bytes
      count += 1
    }
    const group = waiting.slice(0, count)
    waiting = waiting.slice(count)
    waitingBytes -= bytes
    return group
  }

  function refuseWaiting(error: unknown): void {
    const refused = waiting
    waiting = []
    waitingBytes = 0
    for (const each of refused) each.reject(error)
  }

  async function commitGroup(group: Waiting<T, R>[]): Promise<void> {
    try {
      const results = await options.commit(group.map((each) => each.request))
      group.forEach((each, index) => each.resolve(results[index] as R))
    } catch (error) {
      if (options.isUnavailable(error)) {
        for (const each of group) each.reject(cannotStore(error))
      } else if (group.length === 1) {
        group[0]?.reject(error)
      } else {
        // One request that the store refuses must not take the others of its group with it.
        for (const each of group) await commitGroup([each])
      }
    }
  }

  async function run(): Promise<void> {
    // Lets the requests that arrived in this turn of the event loop join the first group.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const group = takeGroup()
      const timer = setTimeout(() => {
        stuck = true
        const error = cannotStore(new Error(`the commit has been under way for ${options.commitTimeoutMs} ms`))
        for (const each of group) each.reject(error)
        refuseWaiting(error)
      }, options.commitTimeoutMs)
      await commitGroup(group)
      clearTimeout(timer)
      stuck = false
    }
    running = undefined
  }

  return {
    submit(request, bytes) {
      if (closed) return Promise.reject(cannotStore(new Error('the log is closed')))
      if (stuck) return Promise.reject(cannotStore(new Error('an earlier commit is stuck')))
      if (waitingBytes + bytes > options.maxWaitingBytes && waiting.length > 0) {
        return Promise.reject(new SignalbookError('unavailable', 'more events arrive than can be stored; send them again later', { retryAfterSeconds: 1 }))
      }
      return new Promise<R>((resolve, reject) => {
        waiting.push({ request, bytes, resolve, reject })
        waitingBytes += bytes
        running ??= run()
      })
    },
    async close() {
      closed = true
      await running
    },
  }
}

function cannotStore(cause: unknown): SignalbookError {
  return new SignalbookError('unavailable', 'events cannot be stored now; send them again later', { retryAfterSeconds: 2, cause })
}
