import { expect } from 'chai'
import fc from 'fast-check'
import type { CanonicalEvent } from '../../../src/destinations/canonical-event.ts'
import { assertSize } from '../../../src/relay/accept/event-size.ts'

describe('the size of an event', () => {
  it('is that of its JSON, to the byte, whatever it holds', () => {
    const longest = ['\u0000'.repeat(999), '\ud800'.repeat(999), Array(99).fill(-1.2345678901234567e-300), Array(99).fill(-123456789012345680000), { ['\u0000'.repeat(999)]: [] }]
    const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.string({ unit: 'binary' }), fc.constantFrom(...longest))
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), value), (properties) => {
        const event = { type: 'track', properties, group_id: undefined } as unknown as CanonicalEvent
        const bytes = Buffer.byteLength(JSON.stringify(event))
        assertSize(event, bytes, () => '')
        expect(() => assertSize(event, bytes - 1, () => 'events[3]')).to.throw(`events[3] has ${bytes} bytes; an event may have at most ${bytes - 1} (setting max_event_bytes)`)
      }),
      { numRuns: 500 },
    )
  })
})
