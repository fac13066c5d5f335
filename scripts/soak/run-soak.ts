import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { startReceiver } from '../../test/relay/support/receiver.ts'
import type { Answer } from '../../test/relay/support/receiver.ts'
import { until } from '../../test/relay/support/relay-database.ts'
import type { EngineName } from '../../test/support/database.ts'
import { spawnService } from '../../test/support/process.ts'
import { startRelayUnderTest } from '../../test/support/relay-under-test.ts'
import { imbalances, takeBalance } from './conservation.ts'
import { SPECS, startWorkload } from './workload.ts'
import { storedEvents } from '../../test/support/stored-events.ts'

const MOST_RESTARTS = 20
// A start takes some seconds of a busy machine.
const SECONDS_PER_RESTART = 6
const CHECK_MS = 1000
const FLUSH_EVERY_MS = 5000
const DRAIN_MS = 120_000

/** What a soak found; `violations` and `lost` are empty when all promises held. */
export interface SoakReport {
  figures: Record<string, string | number>
  violations: string[]
  lost: string[]
}

/**
 * Two processes deliver to two destinations that fail now and then, under load, flushes and up to 20 restarts of either process, killed and
 * ended in turn. The books are balanced every second, and in the end every promise is held against what arrived or stands visibly.
 */
export async function runSoak(engine: EngineName, seconds: number): Promise<SoakReport> {
  let isMoody = true
  const moody = (ids: string[]): Answer => {
    const luck = isMoody ? Math.random() : 1
    if (luck < 0.1) return { status: 503, headers: { 'retry-after': '0' } }
    if (luck < 0.13) return 'reset'
    return ids.some((id) => id.endsWith('-poison')) ? 400 : 200
  }
  const second = await startReceiver(({ ids }) => moody(ids))
  const relay = await startRelayUnderTest(engine, { answer: ({ ids }) => moody(ids), settings: { batch: true, batch_size: 20 }, more: { second: { url: second.url, batch: true, batch_size: 100 } } })
  let other = await spawnService({ ...relay.env, ROLE: 'relay' })
  try {
    for (const spec of SPECS) {
      const { status, body } = await relay.client.call('POST', '/v1/events', spec)
      if (status !== 201) throw new Error(`a spec was refused: ${status} ${JSON.stringify(body)}`)
    }
    const work = startWorkload(relay)
    const violations: string[] = []
    const end = Date.now() + seconds * 1000
    let checks = 0
    let highestBacklog = 0
    let residentMb = 0
    let restarts = 0
    const planned = Math.min(MOST_RESTARTS, Math.ceil(seconds / SECONDS_PER_RESTART))

    const inspect = async () => {
      const balance = await takeBalance(relay.relayDb())
      violations.push(...imbalances(balance))
      checks += 1
      highestBacklog = Math.max(highestBacklog, ...balance.destinations.map(({ pending }) => pending))
      residentMb = Math.max(residentMb, await residentOf(relay.service.child.pid))
      // What was received is known by its ids; the bodies would fill the memory of a long run.
      for (const receiver of [relay.receiver, second]) receiver.requests.length = 0
      return balance
    }
    const inspecting = repeat(CHECK_MS, () => Date.now() < end, inspect)
    const flushing = repeat(FLUSH_EVERY_MS, () => Date.now() < end, () => relay.client.call('POST', '/v1/flush'))
    for (; restarts < planned; restarts++) {
      await sleep(Math.max(0, (end - Date.now()) / (planned - restarts + 1)) * (0.5 + Math.random()))
      const [victim, isKill] = [restarts % 3 === 2 ? other : relay.service, restarts % 2 === 0]
      await (isKill ? victim.kill() : victim.terminate())
      if (victim === other) other = await spawnService({ ...relay.env, ROLE: 'relay' })
      else await relay.restart()
    }
    await sleep(Math.max(0, end - Date.now()))
    await work.stop()
    isMoody = false
    await Promise.all([inspecting, flushing])

    let last = await inspect()
    const isDrained = async () => (await sleep(CHECK_MS / 4), last = await inspect()).destinations.every(({ pending }) => pending === 0)
    await until(isDrained, 'the deliveries', DRAIN_MS).catch((error: Error) => violations.push(error.message))
    const lost = await findLost(relay, work.promised, [relay.receiver.taken(), second.taken()])
    const repeated = [relay.receiver, second].map((receiver) => receiver.taken().length - new Set(receiver.taken()).size)
    return {
      figures: {
        engine,
        seconds,
        restarts: `${restarts} (${Math.ceil(restarts / 2)} kill -9, ${Math.floor(restarts / 2)} SIGTERM)`,
        'answers by status (0: none)': JSON.stringify(Object.fromEntries(work.statuses)),
        'events acknowledged': work.promised.size,
        'events stored': last.stored,
        'accepted / quarantined / sampled out': `${last.accepted} / ${last.quarantined} / ${last.sampledOut}`,
        'delivered + dead, per destination': last.destinations.map(({ delivered, dead }) => `${delivered} + ${dead}`).join(', '),
        'repeated under their message_id': repeated.join(', '),
        'highest backlog': highestBacklog,
        'highest memory, MB': Math.round(residentMb),
        'balances taken': checks,
        'violations of conservation': violations.length,
        'acknowledged and not to be found': lost.length,
      },
      violations,
      lost,
    }
  } finally {
    await other.terminate()
    await relay.close()
    await second.close()
  }
}

/** Every promised event must have arrived at each destination or be a dead letter of it, or be stored under the verdict that was answered. */
async function findLost(relay: Awaited<ReturnType<typeof startRelayUnderTest>>, promised: Map<string, string>, taken: string[][]): Promise<string[]> {
  const { knex } = relay.relayDb()
  const arrived = taken.map((ids) => new Set(ids))
  const dead = await knex('dead_letters').select<{ message_id: string; destination: string }[]>('message_id', 'destination')
  const letters = ['sink', 'second'].map((name) => new Set(dead.filter(({ destination }) => destination === name).map(({ message_id }) => message_id)))
  const verdicts = new Map((await storedEvents(knex)).map(({ messageId, verdict }) => [messageId, verdict as string]))
  return [...promised]
    .filter(([id, status]) => (status === 'accepted' ? !arrived.every((ids, index) => ids.has(id) || letters[index]?.has(id)) : verdicts.get(id) !== status))
    .map(([id, status]) => `${id} (${status})`)
}

async function repeat(everyMs: number, goesOn: () => boolean, work: () => Promise<unknown>): Promise<void> {
  while (goesOn()) {
    await sleep(everyMs)
    await work()
  }
}

async function residentOf(pid: number | undefined): Promise<number> {
  // It may just have ended.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}
