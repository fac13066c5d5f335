import { expect } from 'chai'
import { readSettings } from '../../../src/settings.ts'
import { RECEIVED_AT, accepting, faultOf, track } from '../support/accepting.ts'

describe('accepting a call', () => {
  it('stores the canonical event of each type', async () => {
    const { one } = accepting()
    const common = { source: 'web', context: { attributes: {} }, timestamp: '2026-11-21T12:00:00.000Z', received_at: '2026-11-21T12:00:00.000Z' }
    const cases: [object, object][] = [
      [track({ properties: { plan: 'pro' }, event_version: '1-2-3' }), { type: 'track', event_name: 'Signed Up', properties: { plan: 'pro' }, event_version: '1-2-3' }],
      [{ type: 'identify', user_id: 'u', traits: { age: 3 } }, { type: 'identify', user_id: 'u', traits: { age: 3 } }],
      [{ type: 'group', group_id: 'g', traits: { size: 9 } }, { type: 'group', group_id: 'g', traits: { size: 9 } }],
      [{ type: 'page', name: 'Home', properties: { url: 'x' } }, { type: 'page', name: 'Home', properties: { url: 'x' } }],
      [{ type: 'alias', user_id: 'new', previous_id: 'old' }, { type: 'alias', user_id: 'new', previous_id: 'old' }],
    ]
    for (const [index, [call, event]] of cases.entries()) {
      expect(await one(call)).to.deep.equal({ ...common, message_id: `id-${index + 1}-0000`, ...event })
    }
  })

  it('goes to the destinations of its source that exist now', async () => {
    const { one, stored } = accepting()
    await one(track())
    expect(stored[0]).to.include({ verdict: 'accepted', source: 'web', eventName: 'Signed Up', receivedAt: RECEIVED_AT })
    expect(stored[0]?.destinationIds).to.deep.equal([7])
  })

  it('refuses a source that is not registered, and says how to register it', async () => {
    const { accept } = accepting()
    expect(await faultOf(accept([track()], { source: 'nope' }))).to.include({
      code: 'invalid_request',
      message: 'source "nope" is not registered; register it with POST /v1/admin/sources',
    })
  })

  const FAULTY: [string, object, string][] = [
    ['a track without event_name', { type: 'track' }, 'event_name'],
    ['a track with an empty event_name', { type: 'track', event_name: '' }, 'event_name'],
    ['a group without group_id', { type: 'group' }, 'group_id'],
    ['a page without name', { type: 'page', name: null }, 'name'],
    ['an alias without user_id', { type: 'alias', previous_id: 'x' }, 'user_id'],
    ['an alias that has its user_id only in the context', { type: 'alias', previous_id: 'x', context: { user_id: 'u' } }, 'user_id'],
    ['an alias without previous_id', { type: 'alias', user_id: 'x' }, 'previous_id'],
    ['an unknown type', { type: 'screen' }, 'type'],
    ['properties that are a list', track({ properties: [] }), 'properties'],
    ['traits that are a text', { type: 'identify', traits: 'x' }, 'traits'],
    ['a context that is a text', track({ context: 'x' }), 'context'],
    ['attributes that are a list', track({ context: { attributes: [] } }), 'context.attributes'],
    ['a user_id that is a number', track({ user_id: 7 }), 'user_id'],
    ['a user_id of the context that is a number', track({ context: { user_id: 7 } }), 'context.user_id'],
    ['a timestamp that is no RFC 3339 time', track({ timestamp: '2026-11-21 09:30:00Z' }), 'timestamp'],
    ['a timestamp with a leap second', track({ timestamp: '2026-11-21T23:59:60Z' }), 'timestamp'],
    ['a timestamp that is a number', track({ timestamp: 1_700_000_000 }), 'timestamp'],
    ['an empty timestamp', track({ timestamp: '' }), 'timestamp'],
    ['a sent_at that is no time', track({ sent_at: 'now' }), 'sent_at'],
    ['a message_id of 101 characters', track({ message_id: 'x'.repeat(101) }), 'message_id'],
    ['an event_version of another form', track({ event_version: '1.2.3' }), 'event_version'],
    ['an event_version with a leading zero', track({ event_version: '1-02-3' }), 'event_version'],
  ]
  for (const [what, call, field] of FAULTY) {
    it(`refuses ${what}, naming the field, and stores nothing`, async () => {
      const { accept, batch, stored } = accepting()
      const single = await faultOf(accept([call]))
      expect(single.code).to.equal('invalid_request')
      expect(single.message.startsWith(`${field} `), single.message).to.equal(true)
      const inBatch = await faultOf(batch([track(), track(), call]))
      expect(inBatch.code).to.equal('invalid_request')
      expect(inBatch.message.startsWith(`events[2].${field} `), inBatch.message).to.equal(true)
      expect(stored).to.deep.equal([])
    })
  }

  it('takes null for absent and ignores fields that it does not know', async () => {
    const { one } = accepting()
    const event = await one(track({ properties: null, context: null, timestamp: null, sent_at: null, message_id: null, user_id: null, event_version: null, channel: 'x', integrations: {} }))
    expect(Object.keys(event).sort()).to.deep.equal(['context', 'event_name', 'message_id', 'properties', 'received_at', 'source', 'timestamp', 'type'])
  })

  it('prefers the message_id of the body, then Idempotency-Key, then a new id', async () => {
    const { one, stored } = accepting()
    expect((await one(track({ message_id: 'm' }), { idempotencyKey: 'k' })).message_id).to.equal('m')
    expect((await one(track({ message_id: '' }), { idempotencyKey: 'k' })).message_id).to.equal('k')
    expect((await one(track())).message_id).to.equal('id-3-0000')
    expect(stored[0]).to.include({ source: 'web', messageId: 'm' })
    expect((await faultOf(one(track(), { idempotencyKey: 'x'.repeat(101) }))).message).to.contain('Idempotency-Key')
  })

  describe('times', () => {
    it('take the time of receipt when the sender gives none, or one that was never set', async () => {
      const { one } = accepting()
      for (const timestamp of [undefined, null, '0001-01-01T00:00:00Z']) {
        expect((await one(track({ timestamp }))).timestamp).to.equal('2026-11-21T12:00:00.000Z')
      }
    })

    it('are kept in UTC with milliseconds', async () => {
      const event = await accepting().one(track({ timestamp: '2026-11-20T23:30:00.5+02:00' }))
      expect(event.timestamp).to.equal('2026-11-20T21:30:00.500Z')
      expect(event).not.to.have.property('original_timestamp')
    })

    it('are corrected by the difference between sent_at and receipt, and the sender\'s own is kept', async () => {
      const event = await accepting().one(track({ timestamp: '2026-11-21T13:00:00+00:00', sent_at: '2026-11-21T13:00:30Z' }))
      expect(event).to.include({ timestamp: '2026-11-21T11:59:30.000Z', original_timestamp: '2026-11-21T13:00:00+00:00' })
    })

    it('are left alone when sent_at was never set, or when the clock is past correcting', async () => {
      const { one } = accepting()
      for (const sentAt of ['0001-01-01T00:00:00Z', '0001-01-02T00:00:00Z']) {
        const event = await one(track({ timestamp: '9999-06-01T00:00:00Z', sent_at: sentAt }))
        expect(event.timestamp).to.equal('9999-06-01T00:00:00.000Z')
      }
    })

    it('of a batch are corrected by its sent_at, unless an item has its own', async () => {
      const { batch, delivered } = accepting()
      await batch([track({ timestamp: '2026-11-21T10:00:00Z' }), track({ timestamp: '2026-11-21T10:00:00Z', sent_at: '2026-11-21T12:00:00Z' })], { defaults: { sent_at: '2026-11-21T11:00:00Z' } })
      expect(delivered().map(({ timestamp }) => timestamp)).to.deep.equal(['2026-11-21T11:00:00.000Z', '2026-11-21T10:00:00.000Z'])
    })
  })

  describe('identity', () => {
    it('prefers the call over its context', async () => {
      const { one } = accepting()
      const event = await one(track({ user_id: 'a', anonymous_id: 'b', context: { user_id: 'c', anonymous_id: 'd' } }))
      expect(event).to.include({ user_id: 'a', anonymous_id: 'b' })
    })

    it('takes an empty id for absent', async () => {
      const event = await accepting().one(track({ user_id: '', context: { user_id: 'c', anonymous_id: '' } }))
      expect(event.user_id).to.equal('c')
      expect(event).not.to.have.property('anonymous_id')
    })

    it('may be missing altogether', async () => {
      expect(await accepting().one(track())).not.to.have.any.keys('user_id', 'anonymous_id')
    })
  })

  describe('enrichment', () => {
    const request = { receivedAt: RECEIVED_AT, ip: '198.51.100.7', userAgent: 'curl/8' }

    it('fills in address and user agent where the sender says nothing of them', async () => {
      expect((await accepting().one(track({ context: { attributes: { a: 1 } } }), { request })).context.attributes).to.deep.equal({ a: 1, user_agent: 'curl/8', ip_address: '198.51.100.7' })
    })

    it('leaves what the sender said, however it is spelled, and does not fill in what it withholds', async () => {
      const { one } = accepting()
      for (const attributes of [{ ip: '1.1.1.1', userAgent: 'x' }, { ip_address: '1.1.1.1', user_agent: 'x' }, { ip: null, user_agent: null }]) {
        expect((await one(track({ context: { attributes } }), { request })).context.attributes).to.deep.equal(attributes)
      }
    })
  })

  describe('sizes', () => {
    const settings = readSettings(new Map([['max_event_bytes', '1024'], ['max_batch_items', '3']]))

    it('refuse an event over max_event_bytes, counted in bytes', async () => {
      const { one, batch } = accepting({ settings })
      await one(track({ properties: { text: 'x'.repeat(700) } }))
      expect((await faultOf(one(track({ properties: { text: 'é'.repeat(700) } })))).code).to.equal('too_large')
      const inBatch = await faultOf(batch([track(), track({ properties: { text: 'x'.repeat(1024) } })]))
      expect(inBatch.message).to.contain('events[1]').and.to.contain('1024')
    })

    it('refuse an empty batch and one over max_batch_items', async () => {
      const { batch } = accepting({ settings })
      expect((await faultOf(batch([]))).code).to.equal('invalid_request')
      expect(await batch([track(), track(), track()])).to.have.length(3)
      expect((await faultOf(batch([track(), track(), track(), track()]))).code).to.equal('too_large')
    })
  })

  it('answers each item of a batch with its index and message_id', async () => {
    const { batch } = accepting()
    const items = await batch([track({ message_id: 'a' }), track({ message_id: 'b' })])
    expect(items).to.deep.equal([
      { index: 0, status: 'accepted', messageId: 'a' },
      { index: 1, status: 'accepted', messageId: 'b' },
    ])
  })
})
