import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What processes asked of the system, in order. */
export interface SystemCall {
  name: string
  /** Of an fsync: the file. Of a write: what it was given. */
  text: string
}

/** True where strace is installed; a test skips visibly where it is not. */
export function hasStrace(): boolean {
  try {
    execFileSync('strace', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const STARTED = /^(\d+) +(\w+)\((.*)$/
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>/

/** Watches running processes. @returns how to stop, with what was seen: syncs when they ended, writes when they began */
export async function watchSystemCalls(pids: number[]): Promise<() => Promise<SystemCall[]>> {
  const directory = await mkdtemp(join(tmpdir(), 'signalbook-strace-'))
  const file = join(directory, 'calls')
  const child = spawn('strace', ['-f', '-y', '-s', '64', '-e', 'trace=fsync,fdatasync,write,writev', '-o', file, ...pids.flatMap((pid) => ['-p', String(pid)])], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (pids.every((pid) => output.includes(`Process ${pid} attached`))) resolve()
    })
    child.once('exit', () => reject(new Error(`strace ended: ${output}`)))
  })
  return async () => {
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    await ended
    const calls = parse(await readFile(file, 'utf8'))
    await rm(directory, { recursive: true })
    return calls
  }
}

function parse(trace: string): SystemCall[] {
  const calls: SystemCall[] = []
  const unfinished = new Map<string, SystemCall>()
  for (const line of trace.split('\n')) {
    const [, resumedBy = '', resumed] = RESUMED.exec(line) ?? []
    const [, thread = '', name = '', rest = ''] = STARTED.exec(line) ?? []
    const call = resumed ? unfinished.get(resumedBy) : { name, text: rest }
    if (!call || call.name === '') continue
    const isSync = call.name.endsWith('sync')
    // A sync counts once it is over, a write as soon as it begins.
    if (!resumed && isSync && rest.includes('<unfinished')) unfinished.set(thread, call)
    else if (!resumed || isSync) calls.push(call)
    if (resumed) unfinished.delete(resumedBy)
  }
  return calls
}
