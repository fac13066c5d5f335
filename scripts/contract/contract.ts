import { parseArgs } from 'node:util'
import type { EngineName } from '../../test/support/database.ts'
import { fuzz } from './fuzz/fuzz.ts'
import { startFuzzedService } from './fuzz/service.ts'
import { GENERATORS } from './generators/all.ts'
import { trySdks } from './try-sdks.ts'

const USAGE = `npm run contract -- [--count N] [--seed N] [--engine sqlite|mariadb] [--only sdks|fuzz]`
const SHOWN = 20

/** Holds the published contract against what the service does: SDKs made of it, and generated requests. Ends with 1 when they differ. */
async function run(): Promise<void> {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '5000' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      engine: { type: 'string', default: 'sqlite' },
      only: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return console.log(USAGE)
  if (values.only !== 'fuzz') await showSdks()
  if (values.only !== 'sdks') await showFuzz(values.engine as EngineName, { count: Number(values.count), seed: Number(values.seed) })
}

async function showSdks(): Promise<void> {
  for (const { name, faults } of await trySdks(GENERATORS)) {
    console.log(`${name.padEnd(38)} ${faults.length === 0 ? 'made, compiled under strict rules, journey done' : 'FAILED'}`)
    for (const fault of faults.slice(0, SHOWN)) console.log(`  ${fault}`)
    if (faults.length > 0) process.exitCode = 1
  }
}

async function showFuzz(engine: EngineName, amount: { count: number; seed: number }): Promise<void> {
  const service = await startFuzzedService(engine)
  try {
    const report = await fuzz(service, amount)
    const statuses = Object.entries(report.statuses).map(([status, times]) => `${status} × ${times}`)
    console.log(`${report.requests} requests from seed ${amount.seed} on ${engine}: ${statuses.join(', ')}`)
    console.log(`health in ${Math.ceil(report.slowestHealthMs)} ms at most, memory ${report.memoryGrowthMb === undefined ? 'unknown' : `+${Math.ceil(report.memoryGrowthMb)} MB`} at most`)
    if (report.neverSucceeded.length > 0) console.log(`never answered with a success: ${report.neverSucceeded.join(', ')}`)
    console.log(`${report.differences.length} differences from the contract`)
    for (const difference of report.differences.slice(0, SHOWN)) console.log(difference)
    if (report.differences.length > 0) process.exitCode = 1
  } finally {
    await service.close()
  }
}

await run()
