import { closeDatabase, openDatabase } from '../../../src/store/db.ts'
import { createHome, prepare } from '../home.ts'
import type { Home, Prepared } from '../home.ts'
import { compare } from '../measure.ts'
import type { Figures, Pace } from '../measure.ts'
import { seedRegistry } from '../seed.ts'
import { boundLine, count, ratioLine } from './row.ts'
import type { Line, Row } from './row.ts'

const FEW = 10
// The same page for both, so that only the number of specs behind it differs.
const PAGE = 10
const PAGE_BOUND_MS = 50

// The first is remembered until the registry changes; the two after it reach the database each time.
const BY_NAME = [
  { what: 'GET the latest version', path: '/v1/events/crowd/event_7' },
  { what: 'GET the versions of an event', path: '/v1/events/crowd/event_7/versions' },
  { what: 'GET a version as JSON Schema', path: '/v1/events/crowd/event_7/1-0-0/schema' },
]
const PAGES = [
  { what: `list ${PAGE}`, path: `/v1/events?limit=${PAGE}` },
  { what: `list ${PAGE} latest`, path: `/v1/events?latest=true&limit=${PAGE}` },
  { what: 'search a common word', path: `/v1/events?q=customer&limit=${PAGE}` },
  { what: 'search a rare word', path: `/v1/events?q=event_7&limit=${PAGE}` },
]

/** Finding specs among few and among many. */
export const registry: Row = {
  name: 'registry',
  async run(pace, { specs }): Promise<Line[]> {
    return [...(await onEngine('sqlite', pace, specs)), ...(await onEngine('mariadb', pace, specs))]
  },
}

async function onEngine(engine: 'sqlite' | 'mariadb', pace: Pace, specs: number): Promise<Line[]> {
  const homes = [await createHome(engine), await createHome(engine)]
  const prepared: Prepared[] = []
  try {
    for (const [index, home] of homes.entries()) {
      prepared.push(await prepare(home))
      await fill(home, index === 0 ? FEW : specs)
    }
    const measure = async (path: string, connections?: number) =>
      (await compare(pace, prepared.map(({ server, headers }) => ({ server, order: { url: path, method: 'GET', headers }, status: '200', ...(connections === undefined ? {} : { connections }) })))) as [Figures, Figures]
    const sizes = `${count(specs)} : ${FEW} specs, ${engine}`
    const lines: Line[] = []
    for (const { what, path } of BY_NAME) {
      const [few, many] = await measure(path)
      lines.push(ratioLine(`${what}, ${sizes}`, many.requestsPerSecond, few.requestsPerSecond, 0.9, 'calls/s'))
    }
    for (const { what, path } of PAGES) {
      const [few, many] = await measure(path, 1)
      lines.push({ ...boundLine(`${what}, ${sizes}`, meanMs(many), PAGE_BOUND_MS, 'ms'), limit: `${meanMs(few).toFixed(1)} ms` })
    }
    return lines
  } finally {
    for (const { server } of prepared) await server.stop()
    for (const home of homes) await home.remove()
  }
}

/** Of one connection, which has one call under way at a time. */
function meanMs({ requestsPerSecond }: Figures): number {
  return 1000 / requestsPerSecond
}

async function fill(home: Home, specs: number): Promise<void> {
  const database = openDatabase(home.target)
  await seedRegistry(database, { specs, sources: 0, keys: 0 })
  await closeDatabase(database)
}
