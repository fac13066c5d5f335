import { setTimeout as sleep } from 'node:timers/promises'

const LOOK_MS = 20

/**
 * Waits until a claim holds, looking again and again. For what happens by itself, such as a delivery.
 * @throws Error that says what did not come true
 */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = 15_000): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; ; ) {
    if (await holds()) return
    if (Date.now() > deadline) throw new Error(`within ${timeoutMs} ms it did not come true: ${what}`)
    await sleep(LOOK_MS)
  }
}
