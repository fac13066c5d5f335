import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { spawnService } from './support/process.ts'
import type { ServiceProcess } from './support/process.ts'

const ROOT = new URL('..', import.meta.url).pathname

/** Runs a command from the root of the repository. */
async function run(command: string, args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(command, args, { cwd: ROOT, env: { PATH: process.env['PATH'] }, stdio: ['ignore', 'pipe', 'pipe'] })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

describe('the demo', function () {
  this.timeout(60_000)

  it('ends with code 0 and shows seven events that arrived at the destination, and the webhook', async () => {
    const { code, stdout, stderr } = await run(process.execPath, ['scripts/demo/demo.ts'])
    expect(code, stderr).to.equal(0)
    const [, arrived = '', announced = ''] = stdout.split(/What arrived at the (?:destination|webhook):\n/)
    const types = arrived.trim().split('\n').map((line) => line.trim().split(' ')[0])
    expect(types.sort()).to.deep.equal(['alias', 'group', 'identify', 'page', 'page', 'track', 'track'])
    expect(arrived).to.contain('"Order Completed"').and.to.contain('"Checkout"').and.to.contain('"acme"')
    expect(announced.trim().split('\n').map((line) => line.trim())).to.deep.equal(['event.published shop/order_completed 2-0-0'])
  })

  it('prints every call as a line of curl, with the key left out, and its answer', async () => {
    const { stdout } = await run(process.execPath, ['scripts/demo/demo.ts'])
    const calls = stdout.split('\n').filter((line) => line.trim().startsWith('curl '))
    const answers = stdout.split('\n').filter((line) => line.trim().startsWith('→ '))
    expect(calls.length).to.be.greaterThan(15).and.to.equal(answers.length)
    for (const answer of answers) expect(answer).to.match(/→ 20[0-4] /)
    expect(stdout.match(/sb_[0-9A-Za-z]{46}/g), 'the key is shown by its creation alone').to.have.length(1)
  })
})

describe('the quick start of the README', function () {
  this.timeout(60_000)
  let directory: string
  let service: ServiceProcess
  /** The commands of the block, and what each printed. */
  let lines: { command: string; output: string; code: number }[]

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'signalbook-readme-'))
    service = await spawnService({ DATABASE_URL: `sqlite:${join(directory, 'data', 'signalbook.db')}` })
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    const block = /^## Quick start\n[^]*?^```sh\n([^]*?)^```/m.exec(readme)?.[1]
    if (!block) throw new Error('README has no block of sh under "## Quick start"')
    const commands = block.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
    const here = (command: string) => command.replaceAll('http://127.0.0.1:8080', service.url).replaceAll('cat data/', `cat ${join(directory, 'data')}/`)
    // One shell for all of them, since a later line uses what an earlier one has set.
    const { stdout, stderr } = await run('bash', ['-c', commands.map((command, index) => `echo '::begin ${index}'\n${here(command)}\necho; echo "::end $?"`).join('\n')])
    if (stderr !== '') throw new Error(`the block wrote to standard error: ${stderr}`)
    lines = commands.map((command, index) => {
      const match = new RegExp(`::begin ${index}\n([^]*?)\n?::end (\\d+)`).exec(stdout)
      return { command, output: (match?.[1] ?? '').trim(), code: Number(match?.[2]) }
    })
  })
  after(async () => {
    await service.terminate()
    await rm(directory, { recursive: true, force: true })
  })

  /** What the lines printed that hold a text. */
  const outputsOf = (text: string) => lines.filter(({ command }) => command.includes(text)).map(({ output }) => output)

  it('is made of the same lines for everyone, each of which ends well', () => {
    expect(lines.length).to.be.greaterThan(9)
    for (const { command, code } of lines) expect(code, command).to.equal(0)
  })

  it('gets an answer without an error from every curl', () => {
    const calls = lines.filter(({ command }) => command.startsWith('curl '))
    expect(calls.length).to.be.greaterThan(8)
    for (const { command, output } of calls) {
      expect(() => JSON.parse(output) as unknown, `${command}\n${output}`).not.to.throw()
      expect(JSON.parse(output), command).not.to.have.property('error')
    }
  })

  it('ends with the event in the archive', () => {
    const [archived] = outputsOf('cat data/events.ndjson')
    const events = (archived as string).split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(events).to.have.length(1)
    expect(events[0]).to.deep.include({ type: 'track', source: 'web-shop', event_name: 'Order Completed', user_id: 'u-42', properties: { order_id: 'A-1001', total: 59.9, currency: 'EUR' } })
  })

  it('shows the event that violates its spec in quarantine, with the reason', () => {
    const [accepted, violating] = outputsOf('/v1/track').map((output) => JSON.parse(output) as { status: string; violations?: { path: string }[] })
    expect(accepted).to.include({ status: 'accepted' }).and.not.have.property('violations')
    expect(violating).to.include({ status: 'quarantined' })
    expect(violating?.violations?.map(({ path }) => path)).to.deep.equal(['/properties/total'])
    const [waiting] = outputsOf('/v1/admin/quarantine').map((output) => JSON.parse(output) as { source: string }[])
    expect(waiting).to.have.length(1)
  })

  it('publishes 2-0-0 without naming it, and shows the MAJOR change that led to it', () => {
    const published = outputsOf('/v1/events ').map((output) => (JSON.parse(output) as { version: string }).version)
    expect(published).to.deep.equal(['1-0-0', '2-0-0'])
    const [changes] = outputsOf('/v1/diff/').map((output) => JSON.parse(output) as { kind: string }[])
    expect(changes?.[0]?.kind).to.equal('MAJOR')
  })
})
