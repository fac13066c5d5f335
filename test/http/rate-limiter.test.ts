import { expect } from 'chai'
import { createRateLimiter } from '../../src/http/rate-limiter.ts'

describe('a rate limiter', () => {
  let at = 0
  const limiterOf = (most: number) => createRateLimiter<string>({ windowMs: 1000, most, now: () => at })
  beforeEach(() => (at = 5000))

  it('allows as many as the limit in a window that begins with the first, and says what is left', () => {
    const limiter = limiterOf(10)
    expect([0, 400, 999].map((later) => ((at = 5000 + later), limiter.take('a', 2)))).to.deep.equal([
      { isExceeded: false, remaining: 1, resetMs: 1000 },
      { isExceeded: false, remaining: 0, resetMs: 600 },
      { isExceeded: true, remaining: 0, resetMs: 1 },
    ])
    at = 6000
    expect(limiter.take('a', 2)).to.deep.equal({ isExceeded: false, remaining: 1, resetMs: 1000 })
  })

  it('counts for everyone apart, and obeys a limit that changes within a window', () => {
    const limiter = limiterOf(10)
    for (let count = 0; count < 3; count++) limiter.take('a', 3)
    expect(limiter.take('b', 3)).to.include({ isExceeded: false, remaining: 2 })
    expect(limiter.take('a', 3)).to.include({ isExceeded: true })
    expect(limiter.take('a', 5)).to.include({ isExceeded: false, remaining: 0 })
  })

  it('forgets whose window ends first once it remembers as many as it may', () => {
    const limiter = limiterOf(2)
    limiter.take('a', 1)
    at += 1
    limiter.take('b', 1)
    at += 1
    limiter.take('c', 1)
    expect([limiter.take('b', 1).isExceeded, limiter.take('c', 1).isExceeded, limiter.take('a', 1).isExceeded]).to.deep.equal([true, true, false])
  })

  it('keeps its memory through a million names', function () {
    this.timeout(30_000)
    const limiter = limiterOf(10_000)
    const before = process.memoryUsage().heapUsed
    for (let count = 0; count < 1_000_000; count++) limiter.take(`address ${count}`, 20)
    expect(process.memoryUsage().heapUsed - before).to.be.lessThan(100 * 1024 * 1024)
  })
})
