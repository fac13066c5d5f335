import { closeDatabase, openDatabase } from '../../../src/store/db.ts'
import { relayTarget } from '../../../src/store/relay/relay-target.ts'
import { createHome, prepare } from '../home.ts'
import type { Home } from '../home.ts'
import { compare } from '../measure.ts'
import type { Figures, Side } from '../measure.ts'
import { trackCall } from '../payloads.ts'
import { startService } from '../processes.ts'
import { seedBacklog, seedRegistry } from '../seed.ts'
import { profileOfAccepting } from './accept.ts'
import { partsOfStart } from './idle-parts.ts'
import { boundLine, count, explained, ratioLine } from './row.ts'
import type { Line, Row, Sizes } from './row.ts'

const START_BOUND_MS = 3000

/** A small service beside one with everything that grows. */
export const size: Row = {
  name: 'size',
  async run(pace, sizes): Promise<Line[]> {
    const homes = [await createHome('sqlite'), await createHome('sqlite')]
    const sides: Side[] = []
    try {
      let startMs = 0
      for (const [index, home] of homes.entries()) {
        const prepared = await prepare(home)
        await prepared.server.stop()
        if (index === 1) await fill(home, sizes)
        const server = await startService({ DATABASE_URL: home.url, ROLE: 'api', ALLOW_PRIVATE_NETWORKS: 'on' })
        startMs = server.startMs
        sides.push({ server, order: { url: '/v1/track', method: 'POST', headers: prepared.headers, bodyFile: await home.bodyFile(trackCall()) }, status: '202' })
      }
      const [small, large] = (await compare(pace, sides)) as [Figures, Figures]
      const what = `track with ${count(sizes.specs)} specs, ${count(sizes.sources)} sources, ${count(sizes.keys)} keys, ${count(sizes.backlog)} waiting`
      return [
        await explained(ratioLine(what, large.requestsPerSecond, small.requestsPerSecond, 0.9, 'events/s'), () => profileOfAccepting('sqlite', false)),
        await explained(boundLine('  its start', startMs, START_BOUND_MS, 'ms'), partsOfStart),
      ]
    } finally {
      for (const { server } of sides) await server.stop()
      for (const home of homes) await home.remove()
    }
  },
}

async function fill(home: Home, sizes: Sizes): Promise<void> {
  const registry = openDatabase(home.target)
  await seedRegistry(registry, sizes)
  await closeDatabase(registry)
  const relay = openDatabase(relayTarget(home.target))
  await seedBacklog(relay, sizes.backlog)
  await closeDatabase(relay)
}
