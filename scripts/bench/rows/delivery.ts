import { closeDatabase, openDatabase } from '../../../src/store/db.ts'
import { relayTarget } from '../../../src/store/relay/relay-target.ts'
import { createHome, prepare } from '../home.ts'
import type { Home, Prepared } from '../home.ts'
import { median } from '../measure.ts'
import type { Pace } from '../measure.ts'
import { batchCall } from '../payloads.ts'
import { load, startLimit, startService } from '../processes.ts'
import type { ServerProcess } from '../processes.ts'
import { monotonicMicros, profiled } from '../profile.ts'
import { seedBacklog } from '../seed.ts'
import { count, explained } from './row.ts'
import type { Line, Row } from './row.ts'

const BATCH = 100
const PER_REQUEST = 500
const EVENTS = 150_000
// The first of them go while V8 still compiles.
const WARM_UP_EVENTS = 50_000
const LONGEST_DRAIN_MS = 120_000

/** How many events a second are accepted without delivery, and delivered without acceptance, in rounds of their own. */
export const deliveryRate: Row = {
  name: 'delivery',
  async run(pace): Promise<Line[]> {
    const rounds: { accepted: number; toOne: number; toThree: number }[] = []
    for (let round = 0; round < Math.min(pace.rounds, 5); round++) {
      const { accepted, delivered: toOne } = await oneRound(pace, 1)
      rounds.push({ accepted, toOne, toThree: (await oneRound(pace, 3)).delivered })
    }
    const of = (what: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[what]))
    const to = (destinations: string, rate: number, limit: string, ratio: number, target: number): Line => ({
      what: `delivery to ${destinations}, ${PER_REQUEST} per request`,
      ours: `${count(rate)} events/s${destinations.startsWith('three') ? ' each' : ''}`,
      limit,
      value: ratio.toFixed(2),
      target: `≥ ${target}`,
      isMet: ratio >= target,
    })
    return [
      await explained(to('one HTTP destination', of('toOne'), `${count(of('accepted'))} events/s accepted`, of('toOne') / of('accepted'), 0.5), () => profileOfDelivering(1)),
      await explained(to('three HTTP destinations', of('toThree'), `${count(of('toOne'))} events/s to one`, of('toThree') / of('toOne'), 0.6), () => profileOfDelivering(3)),
    ]
  },
}

/** What delivering one event to one destination consists of. */
export function profileOfDelivering(destinationCount: number): Promise<string[]> {
  return profiled(async (env) => {
    const { from, until } = await withSink(destinationCount, async ({ home, server, key }) => {
      await server.stop()
      await seed(home, destinationCount)
      return drain(home.url, key, env)
    })
    return { from, until, events: (EVENTS - WARM_UP_EVENTS) * destinationCount }
  })
}

async function oneRound(pace: Pace, destinationCount: number): Promise<{ accepted: number; delivered: number }> {
  return withSink(destinationCount, async ({ home, server, headers, key }) => {
    const order = { url: `${server.url}/v1/batch`, method: 'POST', headers, bodyFile: await home.bodyFile(batchCall(BATCH)) }
    await load({ ...order, connections: 16, seconds: 1 })
    const { requestsPerSecond } = await load({ ...order, connections: 64, seconds: pace.seconds })
    await server.stop()
    await seed(home, destinationCount)
    return { accepted: requestsPerSecond * BATCH, delivered: (await drain(home.url, key)).rate }
  })
}

/** Runs with a service whose events go to some destinations, which it does not deliver to. */
async function withSink<T>(destinationCount: number, work: (given: Prepared & { home: Home }) => Promise<T>): Promise<T> {
  const home = await createHome('sqlite')
  const sink = await startLimit('sink')
  try {
    const destinations = Array.from({ length: destinationCount }, (_, n) => ({ name: `sink-${n}`, provider: 'http', config: { url: sink.url, batch: true, batch_size: PER_REQUEST } }))
    return await work({ ...(await prepare(home, { destinations })), home })
  } finally {
    await sink.stop()
    await home.remove()
  }
}

async function seed(home: Home, destinationCount: number): Promise<void> {
  const relay = openDatabase(relayTarget(home.target))
  await seedBacklog(relay, EVENTS, Array.from({ length: destinationCount }, (_, n) => n + 1))
  await closeDatabase(relay)
}

/** Starts the half that delivers, and watches its counters. @returns delivered events per second and destination once it is warm, and when that was */
async function drain(url: string, key: string, env: Record<string, string> = {}): Promise<{ rate: number; from: number; until: number }> {
  const server = await startService({ DATABASE_URL: url, ROLE: 'relay', ALLOW_PRIVATE_NETWORKS: 'on', ...env })
  try {
    const deadline = performance.now() + LONGEST_DRAIN_MS
    let [from, deliveredBefore] = [monotonicMicros(), Infinity]
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      const { delivered, backlog } = await counters(server, key)
      if (deliveredBefore === Infinity && delivered >= WARM_UP_EVENTS) [from, deliveredBefore] = [monotonicMicros(), delivered]
      const until = monotonicMicros()
      if (backlog === 0) return { rate: ((delivered - deliveredBefore) * 1e6) / (until - from), from, until }
      if (performance.now() > deadline) throw new Error(`${backlog} events were still waiting after ${LONGEST_DRAIN_MS / 1000} s`)
    }
  } finally {
    await server.stop()
  }
}

/** What the list of deliveries says of a destination, or on the average of all. */
export interface Counters {
  delivered: number
  backlog: number
}

export async function counters(server: ServerProcess, key: string): Promise<Counters> {
  const answer = await fetch(`${server.url}/v1/admin/deliveries`, { headers: { Authorization: `Bearer ${key}` } })
  const listed = (await answer.json()) as Counters[]
  if (listed[0]?.backlog === undefined) throw new Error(`the list of deliveries answered ${answer.status} without a backlog`)
  const mean = (what: keyof Counters) => listed.reduce((sum, each) => sum + each[what], 0) / listed.length
  return { delivered: mean('delivered'), backlog: mean('backlog') }
}
