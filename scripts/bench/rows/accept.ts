import { createHome, prepare } from '../home.ts'
import type { Home } from '../home.ts'
import { compare } from '../measure.ts'
import type { Figures, Pace, Side } from '../measure.ts'
import { batchCall, batchCallWithIds, trackCall } from '../payloads.ts'
import { startLimit } from '../processes.ts'
import { profileOf } from '../profile.ts'
import { boundLine, explained, ratioLine } from './row.ts'
import type { Line, Row } from './row.ts'

const BATCH = 100

async function trackSide(home: Home): Promise<Side> {
  const { server, headers } = await prepare(home)
  return { server, order: { url: '/v1/track', method: 'POST', headers, bodyFile: await home.bodyFile(trackCall()) }, status: '202' }
}

/** The sides stop and their homes go, whatever happened. */
async function measured(pace: Pace, open: () => Promise<{ sides: Side[]; homes: Home[] }>): Promise<Figures[]> {
  const { sides, homes } = await open()
  try {
    return await compare(pace, sides)
  } finally {
    for (const server of new Set(sides.map((side) => side.server))) await server.stop()
    for (const home of homes) await home.remove()
  }
}

/** @returns our figures for each body, then those of the limit for the first one */
async function againstRaw(pace: Pace, url: string, bodies: object[]): Promise<Figures[]> {
  return measured(pace, async () => {
    const home = await createHome('sqlite')
    const ours = await trackSide(home)
    const orders = await Promise.all(bodies.map(async (body) => ({ ...ours.order, url, bodyFile: await home.bodyFile(body) })))
    const sides = orders.map((order) => ({ ...ours, order }))
    return { sides: [...sides, { server: await startLimit('raw'), order: orders[0] as Side['order'], status: '202' }], homes: [home] }
  })
}

/** What accepting one event consists of. */
export const profileOfAccepting = (engine: 'sqlite' | 'mariadb', isBatch: boolean) =>
  profileOf(engine, isBatch ? BATCH : 1, async (home, { headers }) => ({
    url: isBatch ? '/v1/batch' : '/v1/track',
    method: 'POST',
    headers,
    bodyFile: await home.bodyFile(isBatch ? batchCall(BATCH) : trackCall()),
  }))

const cpu = ({ cpuMicros }: Figures, events = 1) => `, ${(cpuMicros / events).toFixed(1)} µs processor each`

export const single: Row = {
  name: 'track',
  async run(pace): Promise<Line[]> {
    const [ours, raw] = (await againstRaw(pace, '/v1/track', [trackCall()])) as [Figures, Figures]
    const rate = ratioLine('POST /v1/track, durable, validated, SQLite', ours.requestsPerSecond, raw.requestsPerSecond, 0.5, 'events/s', cpu(ours))
    const explainedRate = await explained(rate, () => profileOfAccepting('sqlite', false))
    const p99 = await explained(boundLine('  its p99 at 64 connections', ours.p99Ms, 20, 'ms'), async () =>
      explainedRate.because ? ['64 requests share the processor: the profile above is what each of them waits for'] : profileOfAccepting('sqlite', false),
    )
    return [explainedRate, p99]
  },
}

export const batch: Row = {
  name: 'batch',
  async run(pace): Promise<Line[]> {
    const [ours, withIds, raw] = (await againstRaw(pace, '/v1/batch', [batchCall(BATCH), batchCallWithIds(BATCH)])) as [Figures, Figures, Figures]
    const rate = ratioLine(`POST /v1/batch of ${BATCH}, durable, validated, SQLite`, ours.requestsPerSecond * BATCH, raw.requestsPerSecond * BATCH, 0.6, 'events/s', cpu(ours, BATCH))
    const rateWithIds = ratioLine("  with random message_ids of the sender's own", withIds.requestsPerSecond * BATCH, raw.requestsPerSecond * BATCH, 0, 'events/s', cpu(withIds, BATCH))
    return [await explained(rate, () => profileOfAccepting('sqlite', true)), { ...rateWithIds, target: 'none set' }]
  },
}

export const mariadb: Row = {
  name: 'mariadb',
  async run(pace): Promise<Line[]> {
    const lines: Line[] = []
    for (const isBatch of [false, true]) {
      const [mysql, sqlite] = (await measured(pace, async () => {
        const homes = [await createHome('mariadb'), await createHome('sqlite')]
        const sides: Side[] = []
        for (const home of homes) {
          const side = await trackSide(home)
          if (isBatch) side.order = { ...side.order, url: '/v1/batch', bodyFile: await home.bodyFile(batchCall(BATCH)) }
          sides.push(side)
        }
        return { sides, homes }
      })) as [Figures, Figures]
      const events = isBatch ? BATCH : 1
      const rate = ratioLine(`${isBatch ? `POST /v1/batch of ${BATCH}` : 'POST /v1/track'}, MariaDB beside SQLite`, mysql.requestsPerSecond * events, sqlite.requestsPerSecond * events, 0.5, 'events/s', cpu(mysql, events))
      lines.push(await explained(rate, () => profileOfAccepting('mariadb', isBatch)))
    }
    return lines
  },
}
