import { parseArgs } from 'node:util'
import type { EngineName } from '../../test/support/database.ts'
import { killUnderLoad } from '../../test/support/kill-under-load.ts'
import { runPromises } from './run-promises.ts'
import { runSoak } from './run-soak.ts'

const USAGE = `npm run soak -- [seconds] [--engine sqlite|mariadb]        10 minutes on SQLite unless told otherwise
npm run soak -- kills [count] [--engine sqlite|mariadb]    kill -9 under load, 100 times
npm run soak -- promises [test file ...]                   the tests of promises with their full counts, which takes hours`
const SECONDS = 600
const KILLS = 100
const SHOWN = 10

/** Prints what came of a long run, and ends with 1 when a promise did not hold. */
async function run(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { engine: { type: 'string', default: 'sqlite' }, help: { type: 'boolean' } } })
  const engine = values.engine as EngineName
  if (values.help || !['sqlite', 'mariadb'].includes(engine)) return console.log(USAGE)
  const [what, ...rest] = positionals
  if (what === 'promises') process.exitCode = await runPromises(rest)
  else if (what === 'kills') await runKills(engine, positive(rest[0] ?? KILLS))
  else await runBooks(engine, positive(what ?? SECONDS))
}

async function runKills(engine: EngineName, count: number): Promise<void> {
  const { lost, invented, ...figures } = await killUnderLoad(engine, count)
  print({ engine, ...figures, statuses: JSON.stringify(figures.statuses), lost: lost.length, invented: invented.length })
  fail([...lost, ...invented])
}

async function runBooks(engine: EngineName, seconds: number): Promise<void> {
  const { figures, violations, lost } = await runSoak(engine, seconds)
  print(figures)
  fail([...violations, ...lost])
}

function positive(given: string | number): number {
  if (!(Number(given) > 0)) throw new Error(`"${given}" is no number above 0\n${USAGE}`)
  return Number(given)
}

function print(figures: Record<string, string | number>): void {
  const width = Math.max(...Object.keys(figures).map((name) => name.length))
  for (const [name, figure] of Object.entries(figures)) console.log(`${name.padEnd(width)}  ${figure}`)
}

function fail(faults: string[]): void {
  for (const fault of faults.slice(0, SHOWN)) console.log(fault)
  if (faults.length > 0) process.exitCode = 1
}

await run()
