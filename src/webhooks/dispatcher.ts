import { SECOND } from '../duration.ts'
import { claimDueDeliveries, nextDeliveryAt } from '../store/webhook-deliveries.ts'
import type { WebhookDelivery } from '../store/webhook-deliveries.ts'
import { attemptDelivery } from './attempt.ts'
import type { AttemptDeps } from './attempt.ts'

// Twice as long as an attempt can take, so a lease only runs out when its holder died.
const LEASE_MS = 30 * SECOND
// One attempt per webhook, so this many receivers may hang without holding up another.
const MOST_AT_ONCE = 100
// Another process may have published: look again at least this often.
const LONGEST_SLEEP_MS = 5 * SECOND
// A process that stops must not wait for receivers that hang; what they were asked is asked again by the next one.
const PATIENCE_MS = 5 * SECOND

export interface DispatcherDeps extends AttemptDeps {
  newId: () => string
}

export interface Dispatcher {
  /** Looks for deliveries that are due at once, not at the next turn. */
  wake(): void
  /** Claims nothing more and waits for the attempts under way, for five seconds at most. */
  stop(): Promise<void>
}

/** Sends what the outbox holds until it is stopped. Several processes may run one: each delivery is leased to one of them. */
export function startDispatcher(deps: DispatcherDeps): Dispatcher {
  const { knex } = deps.db
  let stopped = false
  let woken = false
  let endSleep = () => {}
  const impatience = new AbortController()
  /** Webhooks with an attempt under way. */
  const underWay = new Map<number, Promise<void>>()

  const wake = () => {
    woken = true
    endSleep()
  }

  const begin = (delivery: WebhookDelivery, token: string) => {
    const ended = attemptDelivery(deps, delivery, { token, signal: impatience.signal })
      .catch((error: unknown) => deps.log.warn({ err: error }, 'the outcome of a webhook delivery could not be stored; it is attempted again'))
      .finally(() => {
        underWay.delete(delivery.webhookId)
        wake()
      })
    underWay.set(delivery.webhookId, ended)
  }

  const turn = async (): Promise<number> => {
    const now = deps.now()
    const token = deps.newId()
    const limit = MOST_AT_ONCE - underWay.size
    const due = limit === 0 ? [] : await claimDueDeliveries(knex, { token, now, until: now + LEASE_MS, limit, busy: [...underWay.keys()] })
    for (const delivery of due) begin(delivery, token)
    if (due.length > 0) return 0
    // What waits for a busy webhook is looked at when its attempt ends.
    const next = await nextDeliveryAt(knex, [...underWay.keys()])
    return next === undefined ? LONGEST_SLEEP_MS : Math.min(Math.max(next - deps.now(), 100), LONGEST_SLEEP_MS)
  }

  const run = async () => {
    while (!stopped) {
      woken = false
      const sleepMs = await turn().catch((error: unknown) => {
        deps.log.warn({ err: error }, 'webhook deliveries wait for the database')
        return SECOND
      })
      // A call that came during the turn may be about what it did not see yet.
      if (sleepMs > 0 && !woken && !stopped) await sleep(sleepMs, (end) => (endSleep = end))
    }
  }
  const running = run()

  return {
    wake,
    async stop() {
      stopped = true
      wake()
      await running
      const patience = setTimeout(() => impatience.abort(), PATIENCE_MS)
      await Promise.all(underWay.values())
      clearTimeout(patience)
    },
  }
}

function sleep(ms: number, expose: (end: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    expose(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}
