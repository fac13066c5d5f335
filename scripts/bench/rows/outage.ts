import { closeDatabase, openDatabase } from '../../../src/store/db.ts'
import { relayTarget } from '../../../src/store/relay/relay-target.ts'
import { createHome, prepare } from '../home.ts'
import type { Home } from '../home.ts'
import { compare } from '../measure.ts'
import type { Figures, Side } from '../measure.ts'
import { trackCall } from '../payloads.ts'
import { startLimit, startService } from '../processes.ts'
import type { ServerProcess } from '../processes.ts'
import { seedBacklog } from '../seed.ts'
import { profileOfAccepting } from './accept.ts'
import { counters, profileOfDelivering } from './delivery.ts'
import { partsOfMemory, partsOfStart } from './idle-parts.ts'
import { boundLine, count, explained, ratioLine } from './row.ts'
import type { Line, Row } from './row.ts'

const PER_REQUEST = 500
const START_BOUND_MS = 3000
const MEMORY_BOUND_MB = 300
const SETTLING_MS = 5000
const WINDOW_MS = 10_000
const LONGEST_SILENCE_MS = 90_000

/** A destination that is dead while a great many events wait for it, and then comes back. */
export const outage: Row = {
  name: 'outage',
  async run(pace, sizes): Promise<Line[]> {
    const homes: Home[] = []
    const running = new Set<ServerProcess>()
    const started = async (starting: Promise<ServerProcess>) => {
      const server = await starting
      running.add(server)
      return server
    }
    try {
      // Its port is known, and for now nobody listens there.
      const found = await startLimit('sink')
      const { port } = new URL(found.url)
      await found.stop()
      const open = async (waiting: number) => {
        const home = await createHome('sqlite')
        homes.push(home)
        const { server, headers, key } = await prepare(home, { destinations: [{ name: 'sink', provider: 'http', config: { url: found.url, batch: true, batch_size: PER_REQUEST } }] })
        await server.stop()
        const relay = openDatabase(relayTarget(home.target))
        await seedBacklog(relay, waiting)
        await closeDatabase(relay)
        return { home, headers, key, serve: () => started(startService({ DATABASE_URL: home.url, ALLOW_PRIVATE_NETWORKS: 'on' })) }
      }
      const [small, large, untroubled] = [await open(0), await open(sizes.waiting), await open(sizes.waiting / 4)]
      const sides: Side[] = []
      for (const { home, headers, serve } of [small, large]) {
        sides.push({ server: await serve(), order: { url: '/v1/track', method: 'POST', headers, bodyFile: await home.bodyFile(trackCall()) }, status: '202' })
      }
      const [first, { server }] = sides as [Side, Side]
      await new Promise((resolve) => setTimeout(resolve, SETTLING_MS))
      const waitingMb = await server.residentMb()
      const [alone, besides] = (await compare(pace, sides)) as [Figures, Figures]
      // A server that was under load keeps memory whatever waits, so the small one stands beside it.
      const [smallMb, loadedMb] = [await first.server.residentMb(), await server.residentMb()]
      const { new_space: young = 0, old_space: old = 0 } = await server.heapMb()
      const parts = async () => [`the young generation of V8 ${young.toFixed(0)} MB, which the load has made grow, its old one ${old.toFixed(0)}; the rest: node, the log's thread, and buffers`]
      const loaded = { ...boundLine('  its memory after the load', loadedMb, MEMORY_BOUND_MB, 'MB'), limit: `${smallMb.toFixed(1)} MB with none` }
      await first.server.stop()

      await started(startLimit('sink', port))
      await fetch(`${server.url}/v1/flush`, { method: 'POST', headers: large.headers })
      const afterwards = await deliveryRate(server, large.key)
      await server.stop()
      const full = await deliveryRate(await untroubled.serve(), untroubled.key)
      const what = `${count(sizes.waiting)} events waiting for a dead destination`
      return [
        await explained(ratioLine(`track with ${what}`, besides.requestsPerSecond, alone.requestsPerSecond, 0.9, 'events/s'), () => profileOfAccepting('sqlite', false)),
        await explained(boundLine('  its memory while they wait', waitingMb, MEMORY_BOUND_MB, 'MB'), partsOfMemory),
        await explained(loaded, parts),
        await explained(boundLine('  its start', server.startMs, START_BOUND_MS, 'ms'), partsOfStart),
        await explained(ratioLine('  delivery when it is back, beside one never dead', afterwards, full, 0.9, 'events/s'), () => profileOfDelivering(1)),
      ]
    } finally {
      for (const server of running) await server.stop()
      for (const home of homes) await home.remove()
    }
  },
}

/** @returns events per second over a window that begins with the first delivery, or until nothing is left */
async function deliveryRate(server: ServerProcess, key: string): Promise<number> {
  const askedAt = performance.now()
  let first: { at: number; delivered: number } | undefined
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const { delivered, backlog } = await counters(server, key)
    const at = performance.now()
    if (!first && delivered > 0) first = { at, delivered }
    else if (first && (at - first.at >= WINDOW_MS || backlog === 0)) return ((delivered - first.delivered) * 1000) / (at - first.at)
    if (!first && at - askedAt > LONGEST_SILENCE_MS) throw new Error(`nothing was delivered within ${LONGEST_SILENCE_MS / 1000} s`)
  }
}
