import { createHome, prepare } from '../home.ts'
import { median } from '../measure.ts'
import { startService } from '../processes.ts'
import { partsOfMemory, partsOfStart } from './idle-parts.ts'
import { boundLine, explained } from './row.ts'
import type { Line, Row } from './row.ts'

const SETTLING_MS = 3000
const MEMORY_BOUND_MB = 120
const START_BOUND_MS = 1500

/** What a service costs that has nothing to do. */
export const idle: Row = {
  name: 'idle',
  async run(pace): Promise<Line[]> {
    const home = await createHome('sqlite')
    try {
      await (await prepare(home)).server.stop()
      const starts: number[] = []
      let residentMb = 0
      for (let round = 0; round < pace.rounds; round++) {
        const server = await startService({ DATABASE_URL: home.url })
        starts.push(server.startMs)
        if (round === pace.rounds - 1) {
          await new Promise((resolve) => setTimeout(resolve, SETTLING_MS))
          residentMb = await server.residentMb()
        }
        await server.stop()
      }
      const memory = boundLine('memory of an idle service', residentMb, MEMORY_BOUND_MB, 'MB')
      return [await explained(memory, partsOfMemory), await explained(boundLine('start on an empty database', median(starts), START_BOUND_MS, 'ms'), partsOfStart)]
    } finally {
      await home.remove()
    }
  },
}
