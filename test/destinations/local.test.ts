import { expect } from 'chai'
import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { file } from '../../src/destinations/file.ts'
import { noop } from '../../src/destinations/noop.ts'
import { stdout } from '../../src/destinations/stdout.ts'
import type { LocalTransport } from '../../src/destinations/destination.ts'

const item = (key: string) => ({ lane: '', key, body: `{"message_id":"${key}"}` })
const OK = { kind: 'all', result: { kind: 'ok' } }

describe('local providers', () => {
  let dataDirectory: string
  let open: LocalTransport | undefined

  beforeEach(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), 'signalbook-data-'))
  })

  afterEach(async () => {
    await open?.close()
    open = undefined
    await rm(dataDirectory, { recursive: true, force: true })
  })

  const openFile = async (config: Record<string, unknown>) => (open = await file.open(file.checkConfig(config), { dataDirectory, stdout: new PassThrough() }))

  describe('file', () => {
    it('appends one line per event, over restarts', async () => {
      const first = await openFile({ path: 'out/web.ndjson' })
      expect(await first.deliver([item('a'), item('b')])).to.deep.equal(OK)
      await first.close()
      const second = await openFile({ path: 'out/web.ndjson' })
      await second.deliver([item('c')])
      expect(await readFile(join(dataDirectory, 'out/web.ndjson'), 'utf8')).to.equal('{"message_id":"a"}\n{"message_id":"b"}\n{"message_id":"c"}\n')
    })

    it('ends a line that a crash tore before it goes on', async () => {
      await appendFile(join(dataDirectory, 'web.ndjson'), '{"message_id":"a"}\n{"mess')
      await (await openFile({ path: 'web.ndjson' })).deliver([item('b')])
      expect(await readFile(join(dataDirectory, 'web.ndjson'), 'utf8')).to.equal('{"message_id":"a"}\n{"mess\n{"message_id":"b"}\n')
    })

    it('begins a new file when the old one is large', async () => {
      await appendFile(join(dataDirectory, 'web.ndjson'), 'x'.repeat(1024 * 1024) + '\n')
      await (await openFile({ path: 'web.ndjson', rotate_bytes: 1024 * 1024 })).deliver([item('b')])
      expect(await readdir(dataDirectory)).to.have.length(2)
      expect(await readFile(join(dataDirectory, 'web.ndjson'), 'utf8')).to.equal('{"message_id":"b"}\n')
    })

    for (const path of ['../x.ndjson', '/etc/x.log', 'a/../../x.log', 'signalbook.db', 'relay.db', 'relay.db-wal', '.hidden.log', 'a//b.log', 'a\\..\\b.log', 'x.ndjson\u0000', '', 7]) {
      it(`refuses the path ${JSON.stringify(path)}`, () => {
        expect(() => file.checkConfig({ path })).to.throw(/config\.path/)
      })
    }

    it('halts rather than follow a link out of the data directory', async () => {
      const outside = await mkdtemp(join(tmpdir(), 'outside-'))
      await symlink(outside, join(dataDirectory, 'link'))
      const outcome = await (await openFile({ path: 'link/x.log' })).deliver([item('a')])
      expect(outcome.kind === 'all' && outcome.result.kind).to.equal('halt')
      expect(await readdir(outside)).to.deep.equal([])
      await rm(outside, { recursive: true })
    })

    it('halts on a file that it cannot write', async () => {
      await mkdir(join(dataDirectory, 'web.ndjson'))
      const outcome = await (await openFile({ path: 'web.ndjson' })).deliver([item('a')])
      expect(outcome.kind === 'all' && outcome.result.kind).to.equal('halt')
    })
  })

  it('stdout writes one line per event', async () => {
    const stream = new PassThrough()
    open = await stdout.open(stdout.checkConfig({}), { dataDirectory, stdout: stream })
    expect(await open.deliver([item('a'), item('b')])).to.deep.equal(OK)
    expect(stream.read()?.toString()).to.equal('{"message_id":"a"}\n{"message_id":"b"}\n')
  })

  it('noop takes everything', async () => {
    open = await noop.open(noop.checkConfig({ api_key: 'k' }), { dataDirectory, stdout: new PassThrough() })
    expect(await open.deliver([item('a')])).to.deep.equal(OK)
  })
})
