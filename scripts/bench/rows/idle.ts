import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createHome, prepare } from '../home.ts'
import { median } from '../measure.ts'
import { startService } from '../processes.ts'
import { boundLine, explained } from './row.ts'
import type { Line, Row } from './row.ts'

const SETTLING_MS = 3000
const MEMORY_BOUND_MB = 120
const START_BOUND_MS = 1500

async function explainMemory(): Promise<string[]> {
  const alone = await residentMbOf('')
  const stripping = await residentMbOf(`await import(${JSON.stringify(import.meta.resolve('../../../src/duration.ts'))});`)
  const loaded = await residentMbOf(`await import(${JSON.stringify(import.meta.resolve('../../../src/main.ts'))});`)
  return [
    `node alone ${alone.toFixed(0)} MB, what strips types ${(stripping - alone).toFixed(0)} (not in the published package), all modules ${(loaded - stripping).toFixed(0)}; the rest: the log's thread, and the young generation as the start has left it`,
  ]
}

/** Resident megabytes of a node process that has run some code and nothing else. */
async function residentMbOf(code: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', `${code} console.log(process.memoryUsage.rss())`])
  return Number(stdout) / 2 ** 20
}

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
      return [await explained(memory, explainMemory), boundLine('start on an empty database', median(starts), START_BOUND_MS, 'ms')]
    } finally {
      await home.remove()
    }
  },
}
