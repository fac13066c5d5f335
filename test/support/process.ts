import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The service as a process of its own, as a user starts it. */
export interface ServiceProcess {
  url: string
  child: ChildProcess
  /** What it wrote so far, standard output and standard error together. */
  output: () => string
  /** kill -9: no handler runs. */
  kill: () => Promise<void>
  /** SIGTERM. @returns the exit code */
  terminate: () => Promise<number | null>
}

const ENTRY = new URL('../../src/cli/signalbook.ts', import.meta.url).pathname
// A second on an idle machine; a busy one may take long.
const START_TIMEOUT_MS = 60_000

/** Starts the service on a free port and waits for its greeting. @throws Error with its output when it does not come up */
export async function spawnService(env: Record<string, string>): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [ENTRY, 'start'], {
    env: { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`the service did not start: ${why}\n${output}`))
    const timer = setTimeout(() => fail(`no greeting within ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS)
    const listen = (chunk: Buffer) => {
      output += chunk.toString()
      const match = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output)
      if (!match) return
      clearTimeout(timer)
      resolve(match[0])
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('exit', (code) => {
      clearTimeout(timer)
      fail(`exit code ${code}`)
    })
  })
  const ended = once(child, 'exit')
  return {
    url,
    child,
    output: () => output,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async terminate() {
      child.kill('SIGTERM')
      const [code] = (await ended) as [number | null]
      return code
    },
  }
}
