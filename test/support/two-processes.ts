import { createTestDatabase } from './database.ts'
import type { EngineName, TestDatabase } from './database.ts'
import { spawnService } from './process.ts'
import type { ServiceProcess } from './process.ts'
import { bootstrap, callsOf } from './server.ts'
import type { Callable } from './server.ts'

/** The service as a process of its own, with the calls of a test. */
export interface CalledProcess extends Callable {
  process: ServiceProcess
}

/** Two processes of the service on one database. */
export interface TwoProcesses {
  one: CalledProcess
  other: CalledProcess
  stop: () => Promise<void>
}

export async function startTwoProcesses(engine: EngineName): Promise<TwoProcesses> {
  const home = await createTestDatabase(engine)
  const one = await startProcess(home)
  await bootstrap(one)
  const other = await startProcess(home)
  other.adminKey = one.adminKey
  return {
    one,
    other,
    async stop() {
      await Promise.all([one, other].map(({ process }) => process.terminate()))
      await home.remove()
    },
  }
}

/** Starts the service on a database as a process of its own. */
export async function startProcess(home: TestDatabase, env: Record<string, string> = {}): Promise<CalledProcess> {
  const process = await spawnService({ DATABASE_URL: home.url, AUTH_FAILURES_PER_MINUTE: '0', ...env })
  const called: CalledProcess = { process, url: process.url, adminKey: '', ...callsOf(() => called) }
  return called
}
