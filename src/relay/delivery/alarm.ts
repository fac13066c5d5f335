/** What one loop sleeps on. A ring that comes while nobody sleeps is kept for the next sleep, so no wake-up is lost. */
export interface Alarm {
  ring(): void
  /** Ends at the ring or after `ms`. */
  sleep(ms: number): Promise<void>
}

export function createAlarm(): Alarm {
  let wake: (() => void) | undefined
  let hasRung = false
  return {
    ring() {
      hasRung = true
      wake?.()
    },
    async sleep(ms) {
      if (!hasRung && ms > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      wake = undefined
      hasRung = false
    },
  }
}

/** Waits of several batches at once that can all be cut short. */
export interface Waits {
  wait(ms: number): Promise<void>
  cutShort(): void
}

export function createWaits(): Waits {
  const running = new Set<() => void>()
  return {
    wait: (ms) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer)
          running.delete(end)
          resolve()
        }
        const timer = setTimeout(end, ms)
        running.add(end)
      }),
    cutShort() {
      for (const end of [...running]) end()
    },
  }
}
