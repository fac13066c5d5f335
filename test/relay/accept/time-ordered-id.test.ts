import { expect } from 'chai'
import { timeOrderedId } from '../../../src/relay/accept/time-ordered-id.ts'

describe('ids in the order of time', () => {
  it('are UUIDs of version 7, each of them new', () => {
    const ids = Array.from({ length: 10_000 }, () => timeOrderedId())
    for (const id of ids) expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('sort by their time', () => {
    expect(timeOrderedId(1_795_253_400_000) < timeOrderedId(1_795_253_400_001)).to.equal(true)
    expect(timeOrderedId(0xfff) < timeOrderedId(0x1000)).to.equal(true)
  })
})
