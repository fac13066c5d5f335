import { expect } from 'chai'
import fc from 'fast-check'
import type { CanonicalEvent } from '../../../src/destinations/canonical-event.ts'
import { assertSize } from '../../../src/relay/accept/event-size.ts'

describe('the size of an event', () => {
  it('is that of its JSON, to the byte, whatever it holds', () => {
    const value = fc.oneof(fc.jsonValue({ maxDepth: 4 }), fc.string({ unit: 'binary' }), fc.constantFrom('\u0000'.repeat(9), '\ud800', 1e20, -1.7976931348623157e308, 5e-324))
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
