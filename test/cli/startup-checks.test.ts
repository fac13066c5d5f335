import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { onEachEngine, createTestDatabase } from '../support/database.ts'
import { startOn } from '../support/server.ts'
import { signalbook } from './command-line.ts'
import type { CommandEnd } from './command-line.ts'

const ENTRY = new URL('../../src/cli/signalbook.ts', import.meta.url).pathname
const LISTENS = /listens on/
const HOUR = 3_600_000

/** Starts the service with a clock that says `now`, until it listens or ends. */
async function startAt(now: number, url: string): Promise<CommandEnd> {
  const clock = `data:text/javascript,Date.now = () => ${now}`
  const child = spawn(process.execPath, ['--import', clock, ENTRY, 'start'], { env: { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: url }, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit') as Promise<[number | null]>
  child.stdout.on('data', (chunk: Buffer) => void (LISTENS.test(chunk.toString()) && child.kill('SIGTERM')))
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, stdout, stderr }
}

describe('a data directory that cannot be written', () => {
  let directory: string
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'signalbook-'))
    await writeFile(join(directory, 'file'), '')
  })
  after(() => rm(directory, { recursive: true }))

  for (const [name, path] of [
    ['that is a file', () => join(directory, 'file', 'signalbook.db')],
    ['that cannot be made', () => '/dev/null/signalbook/signalbook.db'],
  ] as const) {
    it(`stops the start in one sentence: one ${name}`, async () => {
      const { code, stdout, stderr } = await signalbook(['start'], { PORT: '0', DATABASE_URL: `sqlite:${path()}` })
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' })
      expect(stderr).to.match(/^signalbook: the environment is not right:\n {2}- DATABASE_URL names .*, and the user of this process cannot write there \(E[A-Z]+\); give it the directory, or name another\n$/)
    }).timeout(20_000)
  }
})

onEachEngine((engine) => {
  describe('a clock', function () {
    this.timeout(40_000)

    it('that was never set stops the start', async () => {
      const home = await createTestDatabase(engine)
      const { code, stderr } = await startAt(0, home.url)
      await home.remove()
      expect(code).to.equal(2)
      expect(stderr).to.include('the clock of this machine says 1970-01-01T00:00:00.000Z').and.not.to.match(/^\s+at /m)
    })

    it('that is behind what was stored is warned of, and only then', async () => {
      const home = await createTestDatabase(engine)
      const server = await startOn({ ...home, remove: async () => undefined })
      expect((await server.call('post', '/v1/admin/keys', '').send({ role: 'admin' })).status).to.equal(201)
      await server.stop()
      const behind = await startAt(Date.now() - HOUR, home.url)
      const right = await startAt(Date.now(), home.url)
      await home.remove()
      expect(behind.stderr).to.include('is behind the newest entry of the database')
      expect(right.stderr).not.to.include('is behind')
      expect([behind.code, right.code]).to.deep.equal([0, 0])
    })
  })

  describe('signalbook migrate', function () {
    this.timeout(40_000)

    it('applies what is missing and says so, once', async () => {
      const home = await createTestDatabase(engine)
      const first = await signalbook(['migrate'], { DATABASE_URL: home.url })
      const second = await signalbook(['migrate'], { DATABASE_URL: home.url })
      await home.remove()
      expect([first.code, second.code]).to.deep.equal([0, 0])
      expect(first.stdout).to.match(/^registry: applied 0001-revision-and-audit, .*\nrelay log: applied 0001-log, .*\n$/)
      expect(second.stdout).to.equal('registry: nothing to do, it is up to date\nrelay log: nothing to do, it is up to date\n')
    })
  })
})
