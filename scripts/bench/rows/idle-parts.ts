import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const SOURCE = new URL('../../../src/', import.meta.url)

/** What the memory of a service consists of that has nothing to do. */
export async function partsOfMemory(): Promise<string[]> {
  const [node, stripping, loaded] = await stages()
  const mb = (one: Stage, other?: Stage) => ((one.rss - (other?.rss ?? 0)) / 2 ** 20).toFixed(0)
  return [
    `node alone ${mb(node)} MB, what strips types ${mb(stripping, node)} (not in the published package), all modules ${mb(loaded, stripping)}; the rest: the log's thread, and the young generation as the start has left it`,
  ]
}

/** What the start of a service consists of, apart from what waits in its log. */
export async function partsOfStart(): Promise<string[]> {
  const [node, stripping, loaded] = await stages()
  const ms = (one: Stage, other?: Stage) => (one.ms - (other?.ms ?? 0)).toFixed(0)
  return [
    `node alone ${ms(node)} ms, what strips types ${ms(stripping, node)} (not in the published package), all modules ${ms(loaded, stripping)}; the rest: the databases, their checks and the log's thread, which loads modules too`,
  ]
}

interface Stage {
  /** Resident bytes. */
  rss: number
  /** From before the process was there until its code had run. */
  ms: number
}

/** Node alone, with one file of types stripped, and with the whole service loaded. */
async function stages(): Promise<[Stage, Stage, Stage]> {
  const importing = (file: string) => `await import(${JSON.stringify(new URL(file, SOURCE).href)});`
  return [await stageOf(''), await stageOf(importing('duration.ts')), await stageOf(importing('main.ts'))]
}

async function stageOf(code: string): Promise<Stage> {
  const startedAt = performance.now()
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', `${code} console.log(process.memoryUsage.rss())`])
  return { rss: Number(stdout), ms: performance.now() - startedAt }
}
