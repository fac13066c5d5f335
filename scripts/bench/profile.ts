import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHome, prepare } from './home.ts'
import type { Home, PrepareOptions, Prepared } from './home.ts'
import { load } from './processes.ts'
import type { LoadOrder } from './load.ts'

/** The part of V8's processor profile that is read here; times are microseconds of the monotonic clock. */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string } }[]
  startTime: number
  samples: number[]
  timeDeltas: number[]
}

const WARM_UP_SECONDS = 3
const SECONDS = 4
const CONNECTIONS = 64
const LEAST_MICROS = 0.05
const SOCKET_CALLS = /^(write(Utf8String|Latin1String|AsciiString|Buffer|v)|readStart|readStop|shutdown)$/

/** The stretch of a run that counts, in microseconds of the monotonic clock, and how many events it dealt with. */
export interface Stretch {
  from: number
  until: number
  events: number
}

/**
 * Has a service run with V8's profiler, which slows it by about a tenth.
 * @param run starts a service with the environment, lets it work and stops it
 * @returns lines for people: how long each thread waits, and what its work for one event consists of
 */
export async function profiled(run: (env: Record<string, string>) => Promise<Stretch>): Promise<string[]> {
  const directory = await mkdtemp(join(tmpdir(), 'signalbook-profile-'))
  try {
    const { from, until, events } = await run({ NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${directory}` })
    return Object.entries(await readProfiles(directory)).map(([thread, profile]) => describe(thread, partsOf(profile, from, until), events))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** `profiled` for a service of its own under one kind of load. @param perRequest events in a request @param options of the service */
export async function profileOf(
  engine: 'sqlite' | 'mariadb',
  perRequest: number,
  order: (home: Home, prepared: Prepared) => Promise<Omit<LoadOrder, 'connections' | 'seconds'>>,
  options: PrepareOptions = {},
): Promise<string[]> {
  return profiled(async (env) => {
    const home = await createHome(engine)
    try {
      const prepared = await prepare(home, { ...options, env: { ...options.env, ...env } })
      const { server } = prepared
      const wanted = await order(home, prepared)
      const load64 = (seconds: number) => load({ ...wanted, url: server.url + wanted.url, connections: CONNECTIONS, seconds })
      await load64(WARM_UP_SECONDS)
      const from = monotonicMicros()
      const { requestsPerSecond } = await load64(SECONDS)
      const until = monotonicMicros()
      await server.stop()
      return { from, until, events: requestsPerSecond * SECONDS * perRequest }
    } finally {
      await home.remove()
    }
  })
}

async function readProfiles(directory: string): Promise<Record<string, CpuProfile>> {
  const found: Record<string, CpuProfile> = {}
  for (const file of (await readdir(directory)).sort()) {
    const profile = JSON.parse(await readFile(join(directory, file), 'utf8')) as CpuProfile
    // The name ends in process, thread and number; of the other threads only the log's is at work.
    const isMain = /\.\d+\.0\.\d+\.cpuprofile$/.test(file)
    if (isMain) found['main thread'] = profile
    else if (profile.nodes.some(({ callFrame }) => callFrame.functionName === 'perform' && callFrame.url.endsWith('/sqlite-thread/thread.ts'))) found["log's thread"] = profile
  }
  return found
}

/** Microseconds by part of the service, between two moments. */
function partsOf({ nodes, samples, timeDeltas, startTime }: CpuProfile, from: number, until: number): Map<string, number> {
  const partOf = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const parts = new Map<string, number>()
  let at = startTime
  samples.forEach((node, index) => {
    const micros = timeDeltas[index] as number
    at += micros
    const part = partOf.get(node) as string
    if (at >= from && at <= until) parts.set(part, (parts.get(part) ?? 0) + micros)
  })
  return parts
}

function nameOf({ functionName, url }: { functionName: string; url: string }): string {
  if (functionName === '(idle)') return 'idle'
  if (functionName === '(garbage collector)') return 'garbage'
  if (SOCKET_CALLS.test(functionName)) return 'sockets'
  const module = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  if (module !== undefined) return module === 'router' || module === 'express' ? 'express' : module === 'pino' || module === 'sonic-boom' ? 'log lines' : module
  const own = /\/src\/(.+)\.ts$/.exec(url)?.[1]
  if (own === 'http/body') return 'parsing'
  if (own !== undefined) return own.split('/').slice(0, own.startsWith('relay/') ? 2 : 1).join('/')
  return url.startsWith('node:') ? 'node' : 'native'
}

function describe(thread: string, parts: Map<string, number>, events: number): string {
  const total = [...parts.values()].reduce((sum, micros) => sum + micros, 0)
  const idle = parts.get('idle') ?? 0
  const work = [...parts]
    .filter(([name, micros]) => name !== 'idle' && micros / events >= LEAST_MICROS)
    .sort(([, one], [, other]) => other - one)
    .map(([name, micros]) => `${name} ${(micros / events).toFixed(1)}`)
  return `${thread}: waits ${Math.round((idle / total) * 100)} %, works ${((total - idle) / events).toFixed(1)} µs per event: ${work.join(', ')}`
}

/** The clock of the profiles. */
export function monotonicMicros(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
