import type { Logger } from '../logger.ts'

export interface FlushWatchDeps {
  /** How many flushes there were, in all processes. */
  readMark: () => Promise<number>
  flush: () => void
  logger: Logger
  lookMs?: number
}

/** Hears of flushes that other processes were asked for. */
export interface FlushWatch {
  /** Flushes for a mark of this very process at once; one that was seen already is not done twice. */
  saw(mark: number): void
  stop(): Promise<void>
}

// A flush must reach the workers of other processes within a second.
const LOOK_MS = 400

/** Looks at the mark until it is stopped. */
export function watchFlushes(deps: FlushWatchDeps): FlushWatch {
  /** `undefined` before the first look: what was flushed earlier is not meant for workers that began since. */
  let seen: number | undefined
  let look: Promise<void> | undefined

  function saw(mark: number): void {
    if (seen !== undefined && mark <= seen) return
    seen = mark
    deps.flush()
  }

  async function lookOnce(): Promise<void> {
    try {
      const mark = await deps.readMark()
      if (seen === undefined) seen = mark
      else saw(mark)
    } catch (error) {
      deps.logger.debug({ err: error }, 'the mark of flushes could not be read; it is looked at again')
    }
  }

  function start(): void {
    look ??= lookOnce().finally(() => (look = undefined))
  }

  start()
  const timer = setInterval(start, deps.lookMs ?? LOOK_MS)
  return {
    saw,
    async stop() {
      clearInterval(timer)
      await look
    },
  }
}
