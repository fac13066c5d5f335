import { expect } from 'chai'
import fc from 'fast-check'
import type { CanonicalEvent } from '../../src/destinations/canonical-event.ts'
import { eventOf, jsonOf, keepRequest } from '../../src/relay/kept-request.ts'
import { RECEIVED_AT, accepting, testSpec, track } from './support/accepting.ts'

const text = fc.oneof(fc.constantFrom('', 'u1', 'naïve 日本 🦊\n"\\\u0000\u2028'), fc.string({ unit: 'grapheme', maxLength: 8 }))
const attributes = fc.dictionary(fc.constantFrom('ip', 'user_agent', 'userAgent', 'page', 'n'), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
const time = fc.constantFrom('2026-11-21T10:00:00Z', '2026-11-21T10:00:00.123456+02:00', '0001-01-01T00:00:00Z', '0000-01-01T00:00:01Z')
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null, freq: 3 })
const context = fc.record({ user_id: maybe(text), anonymous_id: maybe(text), attributes: maybe(attributes) }, { requiredKeys: [] })
const call = fc.record(
  {
    type: fc.constantFrom('track', 'identify', 'group', 'page', 'alias'), event_name: fc.constant('Paid'), name: fc.constant('Home'), group_id: fc.constant('g'),
    previous_id: fc.constant('p'), user_id: fc.constantFrom('u1', 'ü2'), anonymous_id: maybe(text), properties: maybe(fc.dictionary(text, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 4 })),
    traits: maybe(fc.dictionary(text, fc.jsonValue(), { maxKeys: 4 })), context: maybe(context), timestamp: maybe(time), sent_at: maybe(time),
    message_id: fc.option(fc.uuid(), { nil: null }), ignored: fc.jsonValue(),
  },
  { requiredKeys: ['type', 'event_name', 'name', 'group_id', 'previous_id', 'user_id'] },
)
const origin = fc.record({ ip: fc.constantFrom('127.0.0.1', undefined), userAgent: fc.constantFrom('curl/8 "ü"', undefined) })
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

/** Accepts a request twice: kept as it came, and with the events written one by one. */
async function bothWays(calls: object[], { isBatch, pretty, request, defaults }: { isBatch: boolean; pretty?: boolean; request?: object; defaults?: object }) {
  const body = Buffer.from(JSON.stringify(isBatch ? { ...defaults, events: calls } : calls[0], null, pretty ? 2 : 0))
  const [kept, written] = [accepting(), accepting()]
  const input = { isBatch, defaults: defaults as never }
  await kept.accept(calls, { ...input, request: { receivedAt: RECEIVED_AT, body, ...request } })
  await written.accept(calls, { ...input, request: { receivedAt: RECEIVED_AT, ...request } })
  return { kept: kept.stored, written: written.stored }
}

describe('a request that is kept as it came', () => {
  it('gives the events that would have been written, for 300 random requests', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 4 }), fc.boolean(), fc.boolean(), origin, maybe(context), maybe(time), async (given, isBatch, pretty, request, batchContext, sentAt) => {
        // Keys that never pass the door.
        const calls = JSON.parse(JSON.stringify(isBatch ? given : given.slice(0, 1)), (key, value: unknown) => (FORBIDDEN.has(key) ? undefined : value)) as object[]
        const { kept, written } = await bothWays(calls, { isBatch, pretty, request, ...(isBatch ? { defaults: { context: batchContext, sent_at: sentAt } } : {}) })
        expect(kept.map(({ event }) => typeof event)).to.deep.equal(calls.map(() => 'object'))
        expect(written.map(({ event }) => typeof event)).to.deep.equal(calls.map(() => 'string'))
        expect(kept.map(jsonOf)).to.deep.equal(written.map(({ event }) => event))
        expect(kept.map(eventOf)).to.deep.equal(written.map(({ event }) => JSON.parse(event as string) as CanonicalEvent))
      }),
      { numRuns: 300 },
    )
  })

  it('lies once in memory for all its events, on one line', async () => {
    const { kept } = await bothWays([track(), track({ properties: { a: [1, { b: '\n' }] } })], { isBatch: true, pretty: true })
    const [one, other] = kept.map(({ event }) => event as { request: { line: Buffer } })
    expect(one?.request).to.equal(other?.request)
    expect(one?.request.line.includes('\n')).to.equal(false)
  })

  it('keeps no event that was refused, and writes those in quarantine on their own', async () => {
    const bad = track({ properties: { bad: true } })
    for (const [policy, expected] of [['block', ['string']], ['quarantine', ['object', 'string']]] as const) {
      const { registry, batch, stored } = accepting()
      registry.resolve = () => ({ kind: 'planned', spec: testSpec() })
      registry.settings.relayValidation = policy
      await batch([track(), bad])
      expect(stored.map(({ event }) => typeof event)).to.deep.equal(expected)
    }
  })

  it('would not take more room than its events may, nor lie in more than one pack', () => {
    const keep = (bytes: number, events: number) => keepRequest({ receivedAt: 0, body: Buffer.alloc(bytes, 0x20) }, { call: 'batch', events, maxEventBytes: 1000 }) !== undefined
    expect(keep(1000, 1)).to.equal(true)
    expect(keep(1001, 1)).to.equal(false)
    expect(keep(512 * 1024, 2500)).to.equal(true)
    expect(keep(512 * 1024 + 1, 2500)).to.equal(false)
    expect(keep(1000, 2501)).to.equal(false)
    expect(keepRequest({ receivedAt: 0 }, { call: 'track', events: 1, maxEventBytes: 1000 })).to.equal(undefined)
  })
})
