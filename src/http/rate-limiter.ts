/** What is left to someone in the window of time that runs. */
export interface Allowance {
  isExceeded: boolean
  remaining: number
  /** Until everything is allowed again. */
  resetMs: number
}

/** Counts what someone does in windows of a fixed length, each beginning with the first thing done after the last window. */
export interface RateLimiter<Who> {
  /** Counts one more. @param limit how many a window allows; it may differ from call to call */
  take(who: Who, limit: number): Allowance
}

/**
 * Keeps its counts in memory, so that a request costs no query; each instance of the service counts for itself.
 * @param most of whom are remembered at once: beyond it whoever's window ends first is forgotten, so that no flood of names fills the memory
 * @param now milliseconds of a clock that never goes back
 */
export function createRateLimiter<Who>({ windowMs, most, now }: { windowMs: number; most: number; now: () => number }): RateLimiter<Who> {
  // In the order in which the windows end, since all are equally long and each is put in when it begins.
  const windows = new Map<Who, { endsAt: number; count: number }>()

  const open = (who: Who, at: number) => {
    windows.delete(who)
    for (const [other, { endsAt }] of windows) {
      if (endsAt > at && windows.size < most) break
      windows.delete(other)
    }
    const opened = { endsAt: at + windowMs, count: 0 }
    windows.set(who, opened)
    return opened
  }

  return {
    take(who, limit) {
      const at = now()
      const running = windows.get(who)
      const window = running && running.endsAt > at ? running : open(who, at)
      window.count += 1
      return { isExceeded: window.count > limit, remaining: Math.max(0, limit - window.count), resetMs: window.endsAt - at }
    },
  }
}
