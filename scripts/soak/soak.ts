import { parseArgs } from 'node:util'
import type { EngineName } from '../../test/support/database.ts'
import { killUnderLoad } from '../../test/support/kill-under-load.ts'
import { runSoak } from './run-soak.ts'

const USAGE = `npm run soak -- [seconds] [--engine sqlite|mariadb]        10 minutes on SQLite unless told otherwise
npm run soak -- kills [count] [--engine sqlite|mariadb]    kill -9 under load, 100 times`
const SECONDS = 600
const KILLS = 100
const SHOWN = 10

/** Prints what came of a long run, and ends with 1 when a promise did not hold. */
async function run(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { engine: { type: 'string', default: 'sqlite' }, help: { type: 'boolean' } } })
  const [what, count] = positionals
  const isEngine = values.engine === 'sqlite' || values.engine === 'mariadb'
  const number = what === 'kills' ? Number(count ?? KILLS) : Number(what ?? SECONDS)
  if (values.help || !isEngine || !(number > 0)) return console.log(USAGE)
  const engine = values.engine as EngineName
  if (what === 'kills') {
    const { lost, invented, ...figures } = await killUnderLoad(engine, number)
    print({ engine, ...figures, statuses: JSON.stringify(figures.statuses), lost: lost.length, invented: invented.length })
    fail([...lost, ...invented])
  } else {
    const { figures, violations, lost } = await runSoak(engine, number)
    print(figures)
    fail([...violations, ...lost])
  }
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
