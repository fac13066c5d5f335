import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { LoadOrder, LoadResult } from './load.ts'

/** A server in a process of its own. */
export interface ServerProcess {
  url: string
  /** From the spawn to the line that names the URL. */
  startMs: number
  /** Processor time used so far, all threads. */
  cpuMs: () => Promise<number>
  residentMb: () => Promise<number>
  /** Megabytes of the parts of V8's memory that hold something, by name; of a service only. */
  heapMb: () => Promise<Record<string, number>>
  stop: () => Promise<void>
}

const HERE = import.meta.dirname
const SERVICE = join(HERE, '../../src/cli/signalbook.ts')
const START_TIMEOUT_MS = 60_000
const REPORT_EVERY_MS = 200
const MOST_LOOKS = 100
// Linux counts processor time in hundredths of a second, whatever the machine.
const MS_PER_TICK = 10

/** Starts the service. The request lines of the log go to nowhere, but they are written. */
export function startService(env: Record<string, string>, nodeArguments: string[] = []): Promise<ServerProcess> {
  const report = ['--report-on-signal', `--report-directory=${tmpdir()}`, '--report-exclude-network']
  return start([...report, ...nodeArguments, SERVICE, 'start'], { HOST: '127.0.0.1', PORT: '0', ...env })
}

/** Starts one of the servers of `limits.ts`, on a free port unless one is named. */
export function startLimit(kind: 'raw' | 'express' | 'sink', port = '0'): Promise<ServerProcess> {
  return start([join(HERE, 'limits.ts'), kind, port], {})
}

async function start(argv: string[], env: Record<string, string>): Promise<ServerProcess> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, argv, { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', process.env['BENCH_STDERR'] ? 'inherit' : 'ignore'] })
  const url = await urlOf(child)
  const proc = (file: string) => readFile(`/proc/${child.pid}/${file}`, 'utf8')
  return {
    url,
    startMs: performance.now() - startedAt,
    async cpuMs() {
      const fields = (await proc('stat')).replace(/^.*\) /, '').split(' ')
      return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
    },
    residentMb: async () => Number(/VmRSS:\s+(\d+)/.exec(await proc('status'))?.[1]) / 1024,
    async heapMb() {
      const before = new Set(await reportsOf(child))
      child.kill('SIGUSR2')
      for (let turn = 0; turn < MOST_LOOKS; turn++) {
        await new Promise((resolve) => setTimeout(resolve, REPORT_EVERY_MS))
        const report = (await reportsOf(child)).find((file) => !before.has(file))
        if (report !== undefined) return heapSpacesIn(report)
      }
      throw new Error('the service wrote no report of its memory')
    },
    async stop() {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Node's diagnostic reports of a process; the name of each holds its number. */
async function reportsOf({ pid }: ChildProcess): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('report.') && name.includes(`.${pid}.`)).map((name) => join(tmpdir(), name))
}

async function heapSpacesIn(report: string): Promise<Record<string, number>> {
  await new Promise((resolve) => setTimeout(resolve, REPORT_EVERY_MS)) // it may still be written
  const { javascriptHeap } = JSON.parse(await readFile(report, 'utf8')) as { javascriptHeap: { heapSpaces: Record<string, { committedMemory: number }> } }
  await rm(report)
  return Object.fromEntries(Object.entries(javascriptHeap.heapSpaces).map(([name, { committedMemory }]) => [name, committedMemory / 2 ** 20]))
}

function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`a server gave no URL within ${START_TIMEOUT_MS} ms`)), START_TIMEOUT_MS)
    child.once('exit', (code) => reject(new Error(`a server ended with code ${code} before it listened`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      const match = /http:\/\/127\.0\.0\.1:\d+/.exec(chunk.toString())
      if (!match) return
      clearTimeout(timer)
      resolve(match[0])
    })
  })
}

/** Runs the load process. */
export async function load(order: LoadOrder): Promise<LoadResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(HERE, 'load.ts'), JSON.stringify(order)])
  return JSON.parse(stdout) as LoadResult
}
