import { expect } from 'chai'
import type { Outcome, Result } from '../../../src/destinations/destination.ts'
import { deliverBatch } from '../../../src/relay/delivery/deliver-batch.ts'
import type { DeliverBatchDeps } from '../../../src/relay/delivery/deliver-batch.ts'
import { isFinished } from '../../../src/relay/delivery/pending-event.ts'
import type { PendingEvent } from '../../../src/relay/delivery/pending-event.ts'
import { takeBatch } from '../../../src/relay/delivery/take-batch.ts'
import { newEvent } from '../support/relay-database.ts'

const OK: Result = { kind: 'ok' }
const RETRY: Result = { kind: 'retry', message: 'busy' }
const REJECT: Result = { kind: 'reject', code: 'rejected', message: 'no' }
const LIMITS = { items: 100, bytes: 10_000 }

/** Events of users `u:lane,lane`, each lane one item of the key `n/lane`. */
function eventsOf(...specs: string[]): PendingEvent[] {
  return specs.map((spec, n) => {
    const [user = '', lanes = ''] = spec.split(':')
    const event: PendingEvent = { row: { ...newEvent(`m${n}`, [7]), seq: n + 1 }, orderKey: user, items: [], attempts: 0, lastAttempt: undefined, failingSince: undefined, dead: undefined }
    event.items = lanes.split(',').map((lane) => ({ item: { lane, key: `${n}/${lane}`, body: 'x'.repeat(98) }, bytes: 98, owner: event, state: 'waiting' }))
    return event
  })
}

const keys = (items: { item: { key: string } }[]) => items.map((each) => each.item.key)

function delivering(outcomes: Outcome[], given: Partial<DeliverBatchDeps> = {}) {
  const sent: string[][] = []
  const waits: number[] = []
  let now = 1000
  const deps: DeliverBatchDeps = {
    async transmit(items) {
      sent.push(items.map((item) => item.key))
      return { outcome: outcomes.shift() ?? { kind: 'all', result: OK } }
    },
    isStopping: () => false,
    wait: async (delayMs) => {
      waits.push(delayMs)
      now += delayMs
    },
    onRetry: () => 1000,
    onSuccess: () => undefined,
    now: () => now,
    random: () => 1,
    retryForMs: () => 60_000,
    ...given,
  }
  return { deps, sent, waits }
}

describe('delivering a batch', () => {
  it('sends again only the items that are unfinished', async () => {
    const events = eventsOf('a:x', 'b:x', 'c:x', 'd:x')
    const { deps, sent, waits } = delivering([{ kind: 'each', results: [OK, RETRY, REJECT, RETRY] }, { kind: 'each', results: [RETRY, OK] }])
    expect(await deliverBatch(deps, takeBatch(events, LIMITS))).to.deep.equal({ kind: 'finished' })
    expect(sent).to.deep.equal([['0/x', '1/x', '2/x', '3/x'], ['1/x', '3/x'], ['1/x']])
    expect(waits).to.deep.equal([500, 1000])
    expect(events.map((event) => [event.attempts, event.dead?.code])).to.deep.equal([[1, undefined], [3, undefined], [1, 'rejected'], [2, undefined]])
  })

  it('sends the rest at once when others of the request were refused, but never without progress', async () => {
    const free: Result = { ...RETRY, free: true }
    const { deps, sent, waits } = delivering([{ kind: 'each', results: [REJECT, free] }, { kind: 'each', results: [free] }])
    await deliverBatch(deps, takeBatch(eventsOf('a:x', 'b:x'), LIMITS))
    expect(sent).to.deep.equal([['0/x', '1/x'], ['1/x'], ['1/x']])
    expect(waits).to.deep.equal([1000])
  })

  it('keeps items that the answer does not speak of', async () => {
    const { deps, sent } = delivering([{ kind: 'each', results: [OK] }])
    await deliverBatch(deps, takeBatch(eventsOf('a:x', 'b:x'), LIMITS))
    expect(sent).to.deep.equal([['0/x', '1/x'], ['1/x']])
  })

  it('finds the faulty items of a batch in few requests and in order', async () => {
    const events = eventsOf(...Array.from({ length: 64 }, () => 'u:x'))
    const delivered: string[] = []
    let requests = 0
    const { deps } = delivering([], {
      async transmit(items) {
        requests += 1
        if (items.some((item) => item.key === '40/x')) return { outcome: { kind: 'bisect', message: 'bad' } }
        delivered.push(...items.map((item) => item.key))
        return { outcome: { kind: 'all', result: OK } }
      },
    })
    await deliverBatch(deps, takeBatch(events, LIMITS))
    expect(events.filter((event) => event.dead).map((event) => event.row.messageId)).to.deep.equal(['m40'])
    expect(delivered).to.deep.equal(events.filter((event) => !event.dead).map((event) => event.items[0]?.item.key))
    expect(requests).to.equal(13)
  })

  it('kills an event for the part of it that is refused, and leaves the delivered parts alone', async () => {
    const events = eventsOf('a:x,x')
    const { deps } = delivering([{ kind: 'each', results: [OK, REJECT] }])
    await deliverBatch(deps, takeBatch(events, LIMITS))
    expect(events[0]?.dead?.code).to.equal('rejected')
  })

  it('gives up each event at the end of its own budget', async () => {
    const [old, fresh] = eventsOf('a:x', 'b:x') as [PendingEvent, PendingEvent]
    old.row.receivedAt = 0
    fresh.row.receivedAt = 50_000
    const { deps, sent } = delivering([], { transmit: async (items) => (sent.push(items.map((item) => item.key)), { outcome: { kind: 'all', result: RETRY } }), onRetry: () => 1000 })
    expect(await deliverBatch(deps, takeBatch([old, fresh], LIMITS))).to.deep.equal({ kind: 'finished' })
    expect([old.dead?.code, fresh.dead?.code]).to.deep.equal(['expired', 'expired'])
    expect(fresh.attempts).to.be.greaterThan(old.attempts)
  })

  it('stops before the next attempt when it is told to, and leaves the items unfinished', async () => {
    const events = eventsOf('a:x')
    let isStopping = false
    const { deps, sent } = delivering([{ kind: 'all', result: RETRY }], { isStopping: () => isStopping, wait: async () => void (isStopping = true) })
    expect(await deliverBatch(deps, takeBatch(events, LIMITS))).to.deep.equal({ kind: 'stopped' })
    expect(sent).to.have.length(1)
    expect(events.some(isFinished)).to.equal(false)
  })

  it('ends on a halt after noting what was delivered in the same answer', async () => {
    const events = eventsOf('a:x', 'b:x')
    const { deps } = delivering([{ kind: 'each', results: [OK, { kind: 'halt', code: 'http_401', message: 'no key' }] }])
    expect(await deliverBatch(deps, takeBatch(events, LIMITS))).to.deep.equal({ kind: 'halted', code: 'http_401', message: 'no key' })
    expect(events.map(isFinished)).to.deep.equal([true, false])
  })
})

describe('taking a batch', () => {
  it('stays within items and bytes', () => {
    const events = eventsOf('a:x', 'b:x', 'c:x', 'd:x', 'e:x')
    expect(keys(takeBatch(events, { items: 2, bytes: 10_000 }))).to.deep.equal(['0/x', '1/x'])
    expect(keys(takeBatch(events, { items: 9, bytes: 200 }))).to.deep.equal(['2/x', '3/x'])
    expect(keys(takeBatch(events, { items: 9, bytes: 10 }))).to.deep.equal(['4/x'])
    expect(takeBatch(events, LIMITS)).to.deep.equal([])
  })

  it('puts items of one lane into a request and never lets a later item of a user pass an earlier one', () => {
    const events = eventsOf('a:x,y', 'a:x', 'b:y', 'c:x', 'b:x')
    expect(keys(takeBatch(events, LIMITS))).to.deep.equal(['0/x', '3/x'])
    expect(keys(takeBatch(events, LIMITS))).to.deep.equal(['2/y'])
    expect(takeBatch(events, LIMITS)).to.deep.equal([])
  })

  it('keeps a user apart who has an item in flight, and takes the others', () => {
    const events = eventsOf('a:x', 'a:x', 'b:x')
    expect(keys(takeBatch(events, { items: 1, bytes: 10_000 }))).to.deep.equal(['0/x'])
    expect(keys(takeBatch(events, LIMITS))).to.deep.equal(['2/x'])
    for (const item of events[0]?.items ?? []) item.state = 'done'
    expect(keys(takeBatch(events, LIMITS))).to.deep.equal(['1/x'])
  })
})
