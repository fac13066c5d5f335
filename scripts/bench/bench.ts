import { readFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { batch, mariadb, single } from './rows/accept.ts'
import { deliveryRate } from './rows/delivery.ts'
import { diffTime } from './rows/diff.ts'
import { idle } from './rows/idle.ts'
import { outage } from './rows/outage.ts'
import { reads } from './rows/reads.ts'
import { registry } from './rows/registry.ts'
import { size } from './rows/size.ts'
import { together } from './rows/together.ts'
import type { Line, Row } from './rows/row.ts'

const USAGE = `npm run bench -- [row ...] [--quick] [--rounds N] [--seconds N] [--specs N] [--sources N] [--keys N] [--backlog N] [--waiting N]`
const ROWS: Row[] = [single, batch, mariadb, deliveryRate, together, reads, registry, size, outage, idle, diffTime]

/** Prints the table of targets: ours, the limit's, the ratio, and what falls short. */
async function run(): Promise<void> {
  const { values, positionals: wanted } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      specs: { type: 'string' },
      sources: { type: 'string' },
      keys: { type: 'string' },
      backlog: { type: 'string' },
      waiting: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return console.log(`${USAGE}\nrows: ${ROWS.map(({ name }) => name).join(', ')}`)
  const pace = { rounds: Number(values.rounds ?? (values.quick ? 3 : 7)), seconds: Number(values.seconds ?? (values.quick ? 2 : 4)) }
  const sizes = { specs: Number(values.specs ?? 10_000), sources: Number(values.sources ?? 1000), keys: Number(values.keys ?? 100_000), backlog: Number(values.backlog ?? 2_000_000), waiting: Number(values.waiting ?? 1_000_000) }
  const unknown = wanted.filter((name) => !ROWS.some((row) => row.name === name))
  if (unknown.length > 0) throw new Error(`there is no row ${unknown.join(', ')}; the rows are ${ROWS.map(({ name }) => name).join(', ')}`)
  describeMachine(pace)
  const short: string[] = []
  for (const row of ROWS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    try {
      for (const line of await row.run(pace, sizes)) {
        print(line)
        if (!line.isMet) short.push(line.what.trim())
      }
    } catch (error) {
      console.log(`${row.name}: could not run: ${error instanceof Error ? error.message : String(error)}`)
      short.push(`${row.name} (could not run)`)
    }
  }
  console.log(short.length === 0 ? '\nEvery row meets its target.' : `\nShort of target:\n${short.map((what) => `  - ${what}`).join('\n')}`)
}

function describeMachine(pace: { rounds: number; seconds: number }): void {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { dependencies: Record<string, string> }
  console.log(`${cpus().length} × ${cpus()[0]?.model.trim() ?? arch()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${platform()}; load before the start ${loadavg().map((each) => each.toFixed(1)).join(' ')}`)
  console.log(`node ${process.version}, SQLite ${process.versions['sqlite']} (node:sqlite), express ${dependencies['express']}, knex ${dependencies['knex']}, mysql2 ${dependencies['mysql2']}`)
  console.log(`64 connections, medians of ${pace.rounds} interleaved rounds of ${pace.seconds} s; load from a process of its own\n`)
  console.log(row(['what', 'ours', 'limit', 'ratio', 'target', '']))
}

function print({ what, ours, limit, value, target, isMet, because = [] }: Line): void {
  console.log(row([what, ours, limit, value, target, isMet ? 'ok' : `SHORT by ${shortfall(value, target)}`]))
  for (const reason of because) console.log(`    ${reason}`)
}

/** How far a figure is from its target, as a part of the target. */
function shortfall(value: string, target: string): string {
  const wanted = Number(/[\d.]+/.exec(target)?.[0])
  return `${Math.round((Math.abs(Number.parseFloat(value) - wanted) / wanted) * 100)} %`
}

function row([what = '', ours = '', limit = '', value = '', target = '', verdict = '']: string[]): string {
  return `${what.padEnd(52)} ${ours.padEnd(46)} ${limit.padEnd(18)} ${value.padEnd(10)} ${target.padEnd(10)} ${verdict}`.trimEnd()
}

await run()
