import { load } from './processes.ts'
import type { ServerProcess } from './processes.ts'
import type { LoadOrder } from './load.ts'

/** How long and how often is measured. */
export interface Pace {
  rounds: number
  seconds: number
}

/** One side of a comparison. */
export interface Side {
  server: ServerProcess
  order: Omit<LoadOrder, 'connections' | 'seconds'>
  /** What every answer must be, so that a fast refusal is never taken for speed. */
  status: string
  connections?: number
}

/** The medians of one side over all rounds. */
export interface Figures {
  requestsPerSecond: number
  p99Ms: number
  /** Processor time of the server per request, all its threads. */
  cpuMicros: number
}

const CONNECTIONS = 64
const WARM_UP_SECONDS = 3

/** Measures sides in interleaved rounds, since this kind of machine drifts by a third within minutes. */
export async function compare(pace: Pace, sides: Side[]): Promise<Figures[]> {
  for (const side of sides) await measureOnce(side, WARM_UP_SECONDS)
  const rounds: Figures[][] = sides.map(() => [])
  for (let round = 0; round < pace.rounds; round++) {
    for (const [index, side] of sides.entries()) rounds[index]?.push(await measureOnce(side, pace.seconds))
  }
  return rounds.map((all) => ({
    requestsPerSecond: median(all.map((each) => each.requestsPerSecond)),
    p99Ms: median(all.map((each) => each.p99Ms)),
    cpuMicros: median(all.map((each) => each.cpuMicros)),
  }))
}

async function measureOnce({ server, order, status, connections = CONNECTIONS }: Side, seconds: number): Promise<Figures> {
  const before = await server.cpuMs()
  const result = await load({ ...order, url: server.url + order.url, connections, seconds })
  const cpuMs = (await server.cpuMs()) - before
  const answers = Object.values(result.statuses).reduce((sum, count) => sum + count, 0)
  if (result.statuses[status] !== answers) throw new Error(`${order.url} did not answer ${status} only: ${JSON.stringify(result.statuses)}`)
  return { requestsPerSecond: result.requestsPerSecond, p99Ms: result.p99Ms, cpuMicros: (cpuMs * 1000) / answers }
}

export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
