import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** What a command wrote and how it ended. */
export interface CommandEnd {
  code: number | null
  stdout: string
  stderr: string
}

const ENTRY = new URL('../../src/cli/signalbook.ts', import.meta.url).pathname

/** Runs `signalbook` as a process of its own until it ends; nothing of the caller's environment but the path reaches it. */
export async function signalbook(args: string[], env: Record<string, string> = {}): Promise<CommandEnd> {
  const child = spawn(process.execPath, [ENTRY, ...args], { env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit') as Promise<[number | null]>
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}
