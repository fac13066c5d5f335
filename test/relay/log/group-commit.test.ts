import { expect } from 'chai'
import { createGroupCommit } from '../../../src/relay/log/group-commit.ts'
import type { GroupCommitOptions } from '../../../src/relay/log/group-commit.ts'
import type { SignalbookError } from '../../../src/error.ts'

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function groupCommit(options: Partial<GroupCommitOptions<number, number>>) {
  const groups: number[][] = []
  const commits = createGroupCommit<number, number>({
    async commit(group) {
      groups.push(group)
      await pause(5)
      return group.map((n) => n * 10)
    },
    isUnavailable: () => false,
    maxWaitingBytes: 1000,
    maxGroupBytes: 1000,
    commitTimeoutMs: 1000,
    ...options,
  })
  return { commits, groups }
}

const codeOf = (error: unknown) => (error as SignalbookError).code

describe('group commit', () => {
  it('puts what arrives during a commit into the next group and answers each request its own result', async () => {
    const { commits, groups } = groupCommit({})
    const first = commits.submit(1, 1)
    await pause(2)
    const others = [2, 3, 4].map((n) => commits.submit(n, 1))
    expect(await Promise.all([first, ...others])).to.deep.equal([10, 20, 30, 40])
    expect(groups).to.deep.equal([[1], [2, 3, 4]])
  })

  it('ends a group at its bound of bytes, and still commits a request that is larger than the bound', async () => {
    const { commits, groups } = groupCommit({ maxGroupBytes: 10 })
    await Promise.all([commits.submit(1, 6), commits.submit(2, 4), commits.submit(3, 1), commits.submit(4, 50)])
    expect(groups).to.deep.equal([[1, 2], [3], [4]])
  })

  it('refuses with unavailable and a time to retry once too many bytes wait', async () => {
    const { commits } = groupCommit({ maxWaitingBytes: 10 })
    const accepted = [commits.submit(1, 5), commits.submit(2, 5)]
    const refused = await commits.submit(3, 5).catch((error: SignalbookError) => error)
    expect(refused).to.include({ code: 'unavailable', retryAfterSeconds: 1 })
    expect(await Promise.all(accepted)).to.deep.equal([10, 20])
  })

  it('commits the requests of a failed group one by one, so that only the faulty one fails', async () => {
    const { commits } = groupCommit({
      async commit(group) {
        if (group.includes(2)) throw new Error('does not fit')
        return group
      },
    })
    const results = await Promise.allSettled([1, 2, 3].map((n) => commits.submit(n, 1)))
    expect(results.map((result) => result.status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('tells every request of the group to come again when the store cannot be written', async () => {
    const { commits } = groupCommit({ commit: () => Promise.reject(new Error('gone')), isUnavailable: () => true })
    const errors = await Promise.all([1, 2].map((n) => commits.submit(n, 1).catch(codeOf)))
    expect(errors).to.deep.equal(['unavailable', 'unavailable'])
  })

  it('answers unavailable while a commit hangs and recovers when it ends', async () => {
    let finish = (): void => undefined
    const { commits } = groupCommit({
      commitTimeoutMs: 20,
      commit: (group) => (group[0] === 1 ? new Promise((resolve) => (finish = () => resolve(group))) : Promise.resolve(group)),
    })
    const stuck = commits.submit(1, 1).catch(codeOf)
    await pause(5)
    const waiting = commits.submit(2, 1).catch(codeOf)
    expect(await stuck).to.equal('unavailable')
    expect(await waiting).to.equal('unavailable')
    expect(await commits.submit(3, 1).catch(codeOf)).to.equal('unavailable')
    finish()
    await pause(5)
    expect(await commits.submit(4, 1)).to.equal(4)
  })

  it('finishes the commit under way when it closes, and refuses what comes later', async () => {
    const { commits } = groupCommit({})
    const last = commits.submit(1, 1)
    await commits.close()
    expect(await last).to.equal(10)
    expect(await commits.submit(2, 1).catch(codeOf)).to.equal('unavailable')
  })
})
