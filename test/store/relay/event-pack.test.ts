import { expect } from 'chai'
import { lineAt, toColumns } from '../../../src/store/relay/event-columns.ts'
import { packEvents, unpackEvents } from '../../../src/store/relay/event-pack.ts'
import type { NewEvent } from '../../../src/store/relay/relay-event.ts'
import { eventOf } from '../../../src/relay/kept-request.ts'
import { keptBatch, newEvent } from '../../relay/support/relay-database.ts'

const none = () => false

function numbered(count: number, canonical: (n: number) => Record<string, unknown> = () => ({})): NewEvent[] {
  const destinationIds = [7]
  return Array.from({ length: count }, (_, n) => ({ ...newEvent(`m${n}`, destinationIds, canonical(n)), destinationIds }))
}

describe('a pack of events', () => {
  it('gives back what was put in, whatever script its texts are in', () => {
    const events: NewEvent[] = [
      newEvent('a', [7], { name: 'naïve 日本 🦊\n\u2028' }),
      { ...newEvent('b', [7, 17], { name: '' }), spec: 'shop/paid@1-0-0', violations: [{ rule: 'type' }], receivedAt: 5 },
      { ...newEvent('c', []), verdict: 'sampled_out', eventName: undefined, receivedAt: 999, isReplay: true },
    ]
    const [pack, ...others] = packEvents(40, toColumns(events), none)
    expect(others).to.deep.equal([])
    expect(pack).to.include({ first_seq: 40, last_seq: 42, received_at: 1000, destinations: ',7,17,' })
    const expected = events.map(({ isReplay: _, ...event }, index) => ({ ...event, seq: 40 + index }))
    expect(pack && unpackEvents(pack)).to.deep.equal(expected)
  })

  it('leaves a gap in the numbers for what is left out', () => {
    const [pack] = packEvents(1, toColumns(numbered(5, (n) => ({ name: `ü${n}` }))), (index) => index === 0 || index === 2 || index === 4)
    expect(pack).to.include({ first_seq: 2, last_seq: 4 })
    expect(pack && unpackEvents(pack).map(({ seq, messageId, event }) => [seq, messageId, JSON.parse(event as string).name])).to.deep.equal([[2, 'm1', 'ü1'], [4, 'm3', 'ü3']])
    expect(packEvents(1, toColumns(numbered(3)), () => true)).to.deep.equal([])
  })

  it('holds a request that is kept as it came once, and never a part of it', () => {
    const events = [...keptBatch(2), { ...newEvent('q', []), verdict: 'quarantined' as const }, ...keptBatch(200), ...keptBatch(100), ...keptBatch(2500)]
    const isLeftOut = (index: number) => index === 0 || index === 2
    const packs = packEvents(1, toColumns(events), isLeftOut)
    expect(packs.map(({ first_seq, last_seq }) => [first_seq, last_seq])).to.deep.equal([[2, 203], [204, 303], [304, 2803]])
    expect(packs.map(({ events: lines }) => Buffer.from(lines).toString().split('\n').length - 1)).to.deep.equal([2, 1, 1])
    const unpacked = packs.flatMap(unpackEvents)
    const stored = events.filter((_, index) => !isLeftOut(index))
    expect(unpacked.map(({ messageId }) => messageId)).to.deep.equal(stored.map(({ messageId }) => messageId))
    expect(unpacked.map(eventOf)).to.deep.equal(stored.map(eventOf))
    expect(unpacked.slice(0, 3).map((event) => eventOf(event).properties)).to.deep.equal([{ n: 1 }, { n: 0 }, { n: 1 }])
  })

  it('reads packs of releases that kept each event on its own line', () => {
    const [pack] = packEvents(1, toColumns(numbered(3)), none)
    const items = (JSON.parse(pack?.items ?? '') as unknown[][]).map((item) => item.slice(0, 4))
    expect(pack && unpackEvents({ ...pack, items: JSON.stringify(items) })).to.deep.equal(pack && unpackEvents(pack))
  })

  it('says once what its events have in common, also when they came by different requests', () => {
    const events = Array.from({ length: 20 }, () => [newEvent('m', [7]), newEvent('n', [7, 8])]).flat()
    const [pack] = packEvents(1, toColumns(events), none)
    expect(JSON.parse(pack?.heads ?? '')).to.have.length(2)
    expect(pack && unpackEvents(pack).map(({ destinationIds }) => destinationIds.length)).to.deep.equal(Array.from({ length: 40 }, (_, index) => 1 + (index % 2)))
  })

  it('ends at 256 numbers, however few of them it holds, and at 512 KB, however large one event is', () => {
    const spans = (packs: { first_seq: number; last_seq: number }[]) => packs.map(({ first_seq, last_seq }) => [first_seq, last_seq])
    expect(spans(packEvents(1, toColumns(numbered(600)), none))).to.deep.equal([[1, 256], [257, 512], [513, 600]])
    expect(spans(packEvents(1, toColumns(numbered(600)), (index) => index % 300 !== 0))).to.deep.equal([[1, 1], [301, 301]])
    const large = numbered(5, (n) => ({ name: 'x'.repeat(n === 1 ? 900_000 : 300_000) }))
    expect(spans(packEvents(1, toColumns(large), none))).to.deep.equal([[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]])
  })
})

describe('events in columns', () => {
  it('know where each text ends, in bytes', () => {
    const columns = toColumns([newEvent('a', [], { name: 'ä' }), ...numbered(2)])
    expect([0, 1, 2].map((index) => JSON.parse(Buffer.from(lineAt(columns, index)).toString()).message_id)).to.deep.equal(['a', 'm0', 'm1'])
  })
})
