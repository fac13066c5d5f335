import { expect } from 'chai'
import { createReadMemory } from '../../src/snapshot/read-memory.ts'
import type { Snapshot } from '../../src/snapshot/snapshot.ts'

const at = (revision: number) => ({ revision }) as Snapshot

describe('the memory of reads', () => {
  it('reads once for each key while the revision stays', async () => {
    const memory = createReadMemory()
    let reads = 0
    const read = async () => `read ${(reads += 1)}`
    expect([await memory.recall(at(1), 'a', read), await memory.recall(at(1), 'a', read), await memory.recall(at(1), 'b', read)]).to.deep.equal(['read 1', 'read 1', 'read 2'])
  })

  it('forgets everything with the next revision, and keeps nothing of an older one', async () => {
    const memory = createReadMemory()
    await memory.recall(at(1), 'a', async () => 'old')
    expect(await memory.recall(at(2), 'a', async () => 'new')).to.equal('new')
    expect(await memory.recall(at(1), 'a', async () => 'late')).to.equal('late')
    expect(await memory.recall(at(2), 'a', async () => 'newer')).to.equal('new')
  })

  it('does not keep what was read across a change', async () => {
    const memory = createReadMemory()
    let finish = (_value: string): void => {}
    const slow = memory.recall(at(1), 'a', () => new Promise<string>((resolve) => (finish = resolve)))
    await memory.recall(at(2), 'b', async () => 'b')
    finish('of revision 1')
    expect(await slow).to.equal('of revision 1')
    expect(await memory.recall(at(2), 'a', async () => 'of revision 2')).to.equal('of revision 2')
  })

  it('keeps no failure', async () => {
    const memory = createReadMemory()
    const failed = await memory.recall(at(1), 'a', () => Promise.reject(new Error('not found'))).catch((error: Error) => error.message)
    expect([failed, await memory.recall(at(1), 'a', async () => 'found')]).to.deep.equal(['not found', 'found'])
  })

  it('stays within its bound, and drops what was used longest ago', async () => {
    const memory = createReadMemory(100)
    const forty = 'x'.repeat(40)
    for (const key of ['a', 'b', 'a', 'c']) await memory.recall(at(1), key, async () => forty)
    const isKept = async (key: string) => (await memory.recall(at(1), key, async () => 'read anew')) === forty
    expect([await isKept('c'), await isKept('a')]).to.deep.equal([true, true])
    expect(await isKept('b')).to.equal(false)
  })
})
