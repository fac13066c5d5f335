import { expect } from 'chai'
import { idPrefixOf, madeId, newIdPrefix } from '../../../src/store/relay/made-id.ts'

describe('ids that are made for events', () => {
  it('are UUIDs of version 8, each of them new', () => {
    const ids = Array.from({ length: 10_000 }, () => [0, 1, 2499].map((place) => madeId(newIdPrefix(), place))).flat()
    for (const id of ids) expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('tell the prefix that those of one request share', () => {
    const prefix = newIdPrefix()
    expect([0, 65_535].map((place) => idPrefixOf(madeId(prefix, place)))).to.deep.equal([prefix, prefix])
    for (const other of ['', 'order-17', prefix, `${madeId(prefix, 0)}0`, crypto.randomUUID()]) expect(idPrefixOf(other)).to.equal(undefined)
  })

  it('sort by their time', () => {
    expect(newIdPrefix(1_795_253_400_000) < newIdPrefix(1_795_253_400_001)).to.equal(true)
    expect(newIdPrefix(0xfff) < newIdPrefix(0x1000)).to.equal(true)
  })
})
