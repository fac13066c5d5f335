import { setTimeout as sleep } from 'node:timers/promises'
import { pages } from './relay-client.ts'
import type { RelayUnderTest } from './relay-under-test.ts'

/** Calls without pause, and what became of them. */
export interface HonestLoad {
  /** All message_ids. */
  sent: Set<string>
  /** message_ids that were answered with 202. */
  acknowledged: Set<string>
  /** How often each status came; 0 stands for no answer. */
  statuses: Map<number, number>
  /** Answers of 503 without a time to come again. */
  rude: number
  refused: () => number
  stop: () => Promise<void>
  /** Waits until everything acknowledged has arrived, as long as something arrives. @param patienceMs how long nothing may @returns what has not */
  missing: (patienceMs?: number) => Promise<string[]>
}

/** Eight senders of single and batch calls, all their events in line, since they have no user. */
export function startHonestLoad(relay: RelayUnderTest, prefix = ''): HonestLoad {
  const load: HonestLoad = {
    sent: new Set(),
    acknowledged: new Set(),
    statuses: new Map(),
    rude: 0,
    refused: () => load.statuses.get(503) ?? 0,
    stop: () => running.stop(),
    async missing(patienceMs = 60_000) {
      const left = () => {
        const taken = new Set(relay.receiver.taken())
        return [...load.acknowledged].filter((id) => !taken.has(id))
      }
      // A backlog of a hundred thousand takes its time: only one that stands still is lost. Counting takes time as well, which deliveries need.
      let [least, since] = [Infinity, Date.now()]
      for (let count = left().length; count > 0 && Date.now() - since < patienceMs; count = left().length) {
        if (count < least) [least, since] = [count, Date.now()]
        await sleep(200)
      }
      return left()
    },
  }
  const running = relay.load(8, async (sender, n) => {
    const ids = n % 3 === 0 ? [0, 1, 2, 3, 4].map((item) => `${prefix}${sender}-${n}-${item}`) : [`${prefix}${sender}-${n}`]
    const [path, body] = ids.length > 1 ? ['/v1/batch', pages(ids)] : ['/v1/page', { source: 'web', name: 'Home', message_id: ids[0] }]
    for (const id of ids) load.sent.add(id)
    const { status, retryAfter } = await relay.client.call('POST', path, body)
    load.statuses.set(status, (load.statuses.get(status) ?? 0) + 1)
    if (status === 202) for (const id of ids) load.acknowledged.add(id)
    if (status === 503 && !(Number(retryAfter) > 0)) load.rude += 1
    // A sender that is refused waits, if not as long as it is asked to.
    if (status !== 202) await sleep(20)
  })
  return load
}
