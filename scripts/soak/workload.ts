import { setTimeout as sleep } from 'node:timers/promises'
import type { RelayUnderTest } from '../../test/support/relay-under-test.ts'

/** What senders were told: by message_id the status of the first 202 that spoke of it. */
export interface Workload {
  promised: Map<string, string>
  statuses: Map<number, number>
  stop: () => Promise<void>
}

const SENDERS = 8
// Some hundreds of events a second: enough to have a group, a batch and a failure under way at any moment.
const PAUSE_MS = 60
const PER_BATCH = 10

/** Events that must keep to this spec, and events of which a part is kept only. */
export const SPECS = [
  { namespace: 'soak', name: 'strict', version: '1-0-0', properties: { n: { type: 'integer', required: true } } },
  { namespace: 'soak', name: 'sampled', version: '1-0-0', sampling: { strategy: 'random', rate: 0.5 } },
]

/** Of every ten events one violates its spec and one is drawn out or not; of two hundred one is refused for good by its destinations. */
function event(id: string, n: number): Record<string, unknown> {
  const common = { type: 'track', user_id: id }
  if (n % 10 === 3) return { ...common, message_id: `${id}-faulty`, event_name: 'strict', properties: { n: 'none' } }
  if (n % 10 === 6) return { ...common, message_id: `${id}-sampled`, event_name: 'sampled' }
  if (n % 200 === 199) return { ...common, message_id: `${id}-poison`, event_name: 'strict', properties: { n } }
  return { ...common, message_id: id, event_name: 'strict', properties: { n } }
}

/** Single and batch calls from several senders at once, until stopped. */
export function startWorkload(relay: RelayUnderTest): Workload {
  const promised = new Map<string, string>()
  const statuses = new Map<number, number>()
  const running = relay.load(SENDERS, async (sender, n) => {
    const isBatch = n % 3 === 0
    const events = Array.from({ length: isBatch ? PER_BATCH : 1 }, (_, item) => event(`${sender}-${n}-${item}`, n + item))
    const [path, body] = isBatch ? ['/v1/batch', { source: 'web', events }] : ['/v1/track', { source: 'web', ...events[0] }]
    const answer = await relay.client.call('POST', path, body)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (answer.status === 202) {
      const told = new Map((isBatch ? (answer.body as { items: Told[] }).items : [answer.body as Told]).map(({ message_id, status }) => [message_id, status]))
      for (const { message_id: id } of events as { message_id: string }[]) promised.set(id, told.get(id) ?? 'accepted')
    }
    await sleep(PAUSE_MS)
  })
  return { promised, statuses, stop: () => running.stop() }
}

interface Told {
  message_id: string
  status: string
}
