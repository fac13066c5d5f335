import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkDataDirectory } from '../src/startup-checks.ts'

const MIB = 1024 * 1024

describe('the check of the disk at the start', () => {
  let directory: string

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'signalbook-disk-'))
  })
  afterEach(() => rm(directory, { recursive: true }))

  const warnings = async (measure?: Parameters<typeof checkDataDirectory>[2]) => {
    const said: [object, string][] = []
    await checkDataDirectory({ engine: 'sqlite', filename: join(directory, 'signalbook.db') }, (facts, text) => void said.push([facts, text]), measure)
    return said
  }

  it('warns of less than 512 MiB, and says how much there is', async () => {
    expect(await warnings(async () => ({ bavail: 511 * 256, bsize: 4096 }))).to.deep.equal([
      [{ directory, freeMebibytes: 511 }, 'the data directory has less than 512 MiB left; when it is full, events are refused with 503'],
    ])
    expect(await warnings(async () => ({ bavail: 512 * 256, bsize: 4096 }))).to.deep.equal([])
  })

  it('measures the file system that the data directory is on', async () => {
    const asked: string[] = []
    await warnings(async (path) => (asked.push(path), { bavail: MIB, bsize: 4096 }))
    expect(asked).to.deep.equal([directory])
  })
})
