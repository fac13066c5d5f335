import { createHome, prepare } from '../home.ts'
import type { Home } from '../home.ts'
import { trackCall } from '../payloads.ts'
import { load, startLimit } from '../processes.ts'
import type { ServerProcess } from '../processes.ts'
import { profileOf } from '../profile.ts'
import { counters } from './delivery.ts'
import { boundLine, explained, ratioLine } from './row.ts'
import type { Line, Row } from './row.ts'

const PER_REQUEST = 500
// Two minutes at the usual pace of seven rounds of four seconds.
const SECONDS_PER_SECOND = 30
const CONNECTIONS = 64
const WARM_UP_SECONDS = 3
const WATCHED_EVERY_MS = 1000
/** What is under way counts as waiting; a backlog that is bounded stays within a few seconds of the traffic. */
const BACKLOG_BOUND_SECONDS = 5

/** Accepting and delivering in one process, for a long time, beside accepting alone. */
export const together: Row = {
  name: 'together',
  async run(pace): Promise<Line[]> {
    const sink = await startLimit('sink')
    const homes = [await createHome('sqlite'), await createHome('sqlite')] as [Home, Home]
    const servers: ServerProcess[] = []
    try {
      const alone = await prepare(homes[0])
      servers.push(alone.server)
      const delivering = { env: { ROLE: 'all' }, destinations: [{ name: 'sink', provider: 'http', config: { url: sink.url, batch: true, batch_size: PER_REQUEST } }] }
      const both = await prepare(homes[1], delivering)
      servers.push(both.server)
      const accept = async ({ server, headers }: typeof alone, home: Home, seconds: number) =>
        (await load({ url: `${server.url}/v1/track`, method: 'POST', headers, bodyFile: await home.bodyFile(trackCall()), connections: CONNECTIONS, seconds })).requestsPerSecond
      await accept(alone, homes[0], WARM_UP_SECONDS)
      const before = await accept(alone, homes[0], pace.seconds)
      let isOver = false
      const watching = highestBacklog(both.server, both.key, () => isOver)
      const rate = await accept(both, homes[1], pace.seconds * SECONDS_PER_SECOND)
      isOver = true
      const backlog = await watching
      // Before and after, since this kind of machine drifts.
      const limit = (before + (await accept(alone, homes[0], pace.seconds))) / 2
      const line = ratioLine(`track beside delivery for ${pace.seconds * SECONDS_PER_SECOND} s, to accepting alone`, rate, limit, 0.6, 'events/s')
      const order = async (home: Home, { headers }: typeof alone) => ({ url: '/v1/track', method: 'POST', headers, bodyFile: await home.bodyFile(trackCall()) })
      return [
        await explained(line, () => profileOf('sqlite', 1, order, delivering)),
        await explained(boundLine('  its highest backlog, in seconds of that traffic', backlog / rate, BACKLOG_BOUND_SECONDS, 's'), () => profileOf('sqlite', 1, order, delivering)),
      ]
    } finally {
      for (const server of [...servers, sink]) await server.stop()
      for (const home of homes) await home.remove()
    }
  },
}

async function highestBacklog(server: ServerProcess, key: string, isOver: () => boolean): Promise<number> {
  let highest = 0
  while (!isOver()) {
    await new Promise((resolve) => setTimeout(resolve, WATCHED_EVERY_MS))
    highest = Math.max(highest, (await counters(server, key)).backlog)
  }
  return highest
}
