import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineName } from './database.ts'
import { startHonestLoad } from './honest-load.ts'
import { startRelayUnderTest } from './relay-under-test.ts'

/** What is left of a run in which the process was killed again and again. */
export interface KillReport {
  kills: number
  acknowledged: number
  /** message_ids that were answered with 202 and never arrived. */
  lost: string[]
  /** Deliveries beyond the first of a message_id. */
  repeated: number
  /** message_ids that arrived without ever having been sent. */
  invented: string[]
  statuses: Record<string, number>
}

/** Kills the service with kill -9 at random moments under 8-way load of single and batch calls, a tenth of the deliveries failing. */
export async function killUnderLoad(engine: EngineName, kills: number): Promise<KillReport> {
  const relay = await startRelayUnderTest(engine, {
    answer: () => (Math.random() < 0.1 ? { status: 503, headers: { 'retry-after': '0' } } : 200),
    settings: { batch: true, batch_size: 50 },
  })
  try {
    const load = startHonestLoad(relay)
    for (let kill = 0; kill < kills; kill++) {
      await sleep(100 + Math.random() * 300)
      await relay.service.kill()
      await relay.restart()
    }
    await sleep(300)
    await load.stop()
    const lost = await load.missing()
    const taken = relay.receiver.taken()
    const distinct = new Set(taken)
    return {
      kills,
      acknowledged: load.acknowledged.size,
      lost,
      repeated: taken.length - distinct.size,
      invented: [...distinct].filter((id) => !load.sent.has(id)),
      statuses: Object.fromEntries(load.statuses),
    }
  } finally {
    await relay.close()
  }
}
