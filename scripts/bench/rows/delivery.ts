import { closeDatabase, openDatabase } from '../../../src/store/db.ts'
import { relayTarget } from '../../../src/store/relay/relay-target.ts'
import { createHome, prepare } from '../home.ts'
import { median } from '../measure.ts'
import type { Pace } from '../measure.ts'
import { batchCall } from '../payloads.ts'
import { load, startLimit, startService } from '../processes.ts'
import type { ServerProcess } from '../processes.ts'
import { seedBacklog } from '../seed.ts'
import { count } from './row.ts'
import type { Line, Row } from './row.ts'

const BATCH = 100
const PER_REQUEST = 500
const EVENTS = 50_000
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
      to('one HTTP destination', of('toOne'), `${count(of('accepted'))} events/s accepted`, of('toOne') / of('accepted'), 0.5),
      to('three HTTP destinations', of('toThree'), `${count(of('toOne'))} events/s to one`, of('toThree') / of('toOne'), 0.6),
    ]
  },
}

async function oneRound(pace: Pace, destinationCount: number): Promise<{ accepted: number; delivered: number }> {
  const home = await createHome('sqlite')
  const sink = await startLimit('sink')
  try {
    const destinations = Array.from({ length: destinationCount }, (_, n) => ({ name: `sink-${n}`, provider: 'http', config: { url: sink.url, batch: true, batch_size: PER_REQUEST } }))
    const { server, headers, key } = await prepare(home, { destinations })
    const order = { url: `${server.url}/v1/batch`, method: 'POST', headers, bodyFile: await home.bodyFile(batchCall(BATCH)) }
    await load({ ...order, connections: 16, seconds: 1 })
    const { requestsPerSecond } = await load({ ...order, connections: 64, seconds: pace.seconds })
    await server.stop()
    const relay = openDatabase(relayTarget(home.target))
    await seedBacklog(relay, EVENTS, destinations.map((_, n) => n + 1))
    await closeDatabase(relay)
    return { accepted: requestsPerSecond * BATCH, delivered: await drain(home.url, key) }
  } finally {
    await sink.stop()
    await home.remove()
  }
}

/** Starts the half that delivers, and watches its counters. @returns delivered events per second and destination, the start left out */
async function drain(url: string, key: string): Promise<number> {
  const server = await startService({ DATABASE_URL: url, ROLE: 'relay', ALLOW_PRIVATE_NETWORKS: 'on' })
  try {
    const startedAt = performance.now()
    const before = await counters(server, key)
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      const { delivered, backlog } = await counters(server, key)
      const elapsedMs = performance.now() - startedAt
      if (backlog === 0) return ((delivered - before.delivered) * 1000) / elapsedMs
      if (elapsedMs > LONGEST_DRAIN_MS) throw new Error(`${backlog} events were still waiting after ${LONGEST_DRAIN_MS / 1000} s`)
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
