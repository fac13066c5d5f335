import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const TESTS = ['test/faults/*.test.ts', 'test/http/bootstrap.test.ts', 'test/http/equal-validation.test.ts', 'test/snapshot/two-processes.test.ts']

/** Runs tests of promises with the counts that are promised, not those of the suite. @returns the exit code */
export async function runPromises(files: string[]): Promise<number> {
  const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js')
  const tests = spawn(process.execPath, [mocha, '--no-config', '--timeout', '20000', ...(files.length > 0 ? files : TESTS)], {
    cwd: ROOT,
    env: { ...process.env, PROMISES: 'full' },
    stdio: 'inherit',
  })
  const [code] = (await once(tests, 'exit')) as [number | null]
  return code ?? 1
}
