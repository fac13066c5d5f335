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

/** A command of the README, what it printed, and the answer that the README shows beneath it. */
interface Line {
  section: string
  command: string
  shown: string | undefined
  output: string
  code: number
}

/** The commands of a section's block of sh. */
function commandsOf(readme: string, section: string): Pick<Line, 'section' | 'command' | 'shown'>[] {
  const block = new RegExp(`^## ${section}\\n[^]*?^\`\`\`sh\\n([^]*?)^\`\`\``, 'm').exec(readme)?.[1]
  if (!block) throw new Error(`README has no block of sh under "## ${section}"`)
  const lines = block.split('\n').filter((line) => line.trim() !== '')
  return lines.flatMap((command, index) => (command.startsWith('#') ? [] : [{ section, command, shown: /^# → (.*)/.exec(lines[index + 1] ?? '')?.[1] }]))
}

const [QUICK_START, STORY, VIOLATION] = ['Quick start', 'The registry in five commands', 'An event that violates its spec']

describe('the commands of the README', function () {
  this.timeout(60_000)
  let directory: string
  let service: ServiceProcess
  let all: Line[]

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'signalbook-readme-'))
    service = await spawnService({ DATABASE_URL: `sqlite:${join(directory, 'data', 'signalbook.db')}` })
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8')
    const commands = [QUICK_START, STORY, VIOLATION].flatMap((section) => commandsOf(readme, section))
    const here = (command: string) => command.replaceAll('http://127.0.0.1:8080', service.url).replaceAll('cat data/', `cat ${join(directory, 'data')}/`)
    // One shell for all of them, since a later line uses what an earlier one has set.
    const { stdout, stderr } = await run('bash', ['-c', commands.map(({ command }, index) => `echo '::begin ${index}'\n${here(command)}\necho; echo "::end $?"`).join('\n')])
    if (stderr !== '') throw new Error(`the blocks wrote to standard error: ${stderr}`)
    all = commands.map((line, index) => {
      const match = new RegExp(`::begin ${index}\n([^]*?)\n?::end (\\d+)`).exec(stdout)
      return { ...line, output: (match?.[1] ?? '').trim(), code: Number(match?.[2]) }
    })
  })
  after(async () => {
    await service.terminate()
    await rm(directory, { recursive: true, force: true })
  })

  const quickStart = () => all.filter(({ section }) => section === QUICK_START)
  /** What the lines printed that hold a text. */
  const outputsOf = (text: string) => quickStart().filter(({ command }) => command.includes(text)).map(({ output }) => output)

  it('are the same lines for everyone, each of which ends well', () => {
    expect(quickStart().length).to.be.greaterThan(9)
    for (const { command, code } of all) expect(code, command).to.equal(0)
  })

  it('get an answer without an error from every curl of the quick start', () => {
    const calls = quickStart().filter(({ command }) => command.startsWith('curl '))
    expect(calls.length).to.be.greaterThan(8)
    for (const { command, output } of calls) {
      expect(() => JSON.parse(output) as unknown, `${command}\n${output}`).not.to.throw()
      expect(JSON.parse(output), command).not.to.have.property('error')
    }
  })

  it('end the quick start with the event in the archive', () => {
    const [archived] = outputsOf('cat data/events.ndjson')
    const events = (archived as string).split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(events).to.have.length(1)
    expect(events[0]).to.deep.include({ type: 'track', source: 'web-shop', event_name: 'Order Completed', user_id: 'u-42', properties: { order_id: 'A-1001', total: 59.9, currency: 'EUR' } })
  })

  it('show the event that violates its spec in quarantine, with the reason', () => {
    const [accepted, violating] = outputsOf('/v1/track').map((output) => JSON.parse(output) as { status: string; violations?: { path: string }[] })
    expect(accepted).to.include({ status: 'accepted' }).and.not.have.property('violations')
    expect(violating).to.include({ status: 'quarantined' })
    expect(violating?.violations?.map(({ path }) => path)).to.deep.equal(['/properties/total'])
    const [waiting] = outputsOf('/v1/admin/quarantine').map((output) => JSON.parse(output) as { source: string }[])
    expect(waiting).to.have.length(1)
  })

  it('publish 2-0-0 without naming it, and show the MAJOR change that led to it', () => {
    const published = outputsOf('/v1/events ').map((output) => (JSON.parse(output) as { version: string }).version)
    expect(published).to.deep.equal(['1-0-0', '2-0-0'])
    const [changes] = outputsOf('/v1/diff/').map((output) => JSON.parse(output) as { kind: string }[])
    expect(changes?.[0]?.kind).to.equal('MAJOR')
  })

  it('tell the story of the registry in five, and each answers what the README shows of it', () => {
    const story = all.filter(({ section }) => section === STORY)
    expect(story).to.have.length(5)
    for (const line of story) expectShown(line)
  })

  it('lead from an event that violates its spec to its arrival, and each answers what the README shows of it', () => {
    const story = all.filter(({ section }) => section === VIOLATION)
    expect(story).to.have.length(7)
    for (const line of story) expectShown(line)
    const [sent, arrived] = [story[1], story[6]].map((line) => JSON.parse(line?.output ?? '{}') as { message_id: string })
    expect(arrived?.message_id).to.be.a('string').and.to.equal(sent?.message_id)
  })
})

/** The README leaves out what stands between the parts. */
function expectShown({ command, output, shown }: Line): void {
  const parts = (shown ?? '').split('…').map((part) => part.trim()).filter((part) => part !== '')
  expect(parts, command).not.to.deep.equal([])
  let from = 0
  for (const part of parts) {
    const at = output.indexOf(part, from)
    expect(at, `${part}\nin the answer to ${command}\n${output}`).to.be.at.least(0)
    from = at + part.length
  }
}
