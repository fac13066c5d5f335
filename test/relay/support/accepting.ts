import { acceptCalls } from '../../../src/relay/accept/accept.ts'
import type { AcceptDeps, AcceptInput, CallOutcome, RelayCall } from '../../../src/relay/accept/accept.ts'
import type { NewEvent } from '../../../src/relay/log/log.ts'
import { eventOf } from '../../../src/relay/kept-request.ts'
import { testDestination, testRegistry, testSource } from './snapshot.ts'
import type { TestRegistry } from './snapshot.ts'
import type { CanonicalEvent } from '../../../src/destinations/canonical-event.ts'
import type { PlannedSpec } from '../../../src/snapshot/planned-spec.ts'
import type { Violation } from '../../../src/registry/violation.ts'

export const RECEIVED_AT = Date.parse('2026-11-21T12:00:00.000Z')

/** Accepts calls into a list instead of a database: for the rules, which do not ask where events are stored. */
export function accepting(given: Partial<TestRegistry> = {}) {
  const registry = testRegistry({ sources: [testSource('web', ['crm', 'later'])], destinations: [testDestination(7, 'crm', {})], ...given })
  const stored: NewEvent[] = []
  let drawn = 0
  let ids = 0
  const deps: AcceptDeps = {
    relayLog: {
      async append(events: NewEvent[]) {
        stored.push(...events)
        return events.map(() => 'stored' as const)
      },
    } as AcceptDeps['relayLog'],
    newIdPrefix: () => `id-${(ids += 1)}-`,
    random: () => drawn,
  }
  const accept = (calls: object[], input: Partial<AcceptInput> = {}): Promise<CallOutcome[]> =>
    acceptCalls(deps, { snapshot: registry.snapshot(), source: 'web', calls: calls as RelayCall[], request: { receivedAt: RECEIVED_AT, body: bodyOf(calls, input) }, isBatch: false, ...input })
  return {
    registry,
    stored,
    /** The events that are stored, as they are delivered. */
    delivered: () => stored.map(eventOf),
    draw: (next: number) => (drawn = next),
    /** Accepts one call. @returns the event as stored */
    one: async (call: object, input: Partial<AcceptInput> = {}): Promise<CanonicalEvent> => {
      await accept([call], input)
      return eventOf(stored.at(-1) as NewEvent)
    },
    batch: (calls: object[], input: Partial<AcceptInput> = {}) => accept(calls, { isBatch: true, ...input }),
    accept,
  }
}

/** The body that such calls come with. */
export function bodyOf(calls: object[], { isBatch, defaults }: Pick<Partial<AcceptInput>, 'isBatch' | 'defaults'>): Buffer {
  return Buffer.from(JSON.stringify(isBatch ? { source: 'web', ...defaults, events: calls } : { source: 'web', ...calls[0] }))
}

export const track = (fields: object = {}) => ({ type: 'track', event_name: 'Signed Up', ...fields })

/** A spec that finds fault with every event whose properties hold `bad`. */
export function testSpec(given: Partial<PlannedSpec> = {}): PlannedSpec {
  return {
    id: 'shop/signed-up@1-0-0',
    status: 'active',
    deprecation: undefined,
    sampling: { strategy: 'none', rate: 1 },
    validationMode: undefined,
    validate: (payload) => ((payload as { bad?: unknown } | undefined)?.bad ? [FAULT] : []),
    ...given,
  }
}

export const FAULT: Violation = { rule: 'not', path: '/properties/bad', message: 'property "bad" must not be there' }

export async function faultOf(promise: Promise<unknown>): Promise<{ code: string; message: string; extra: Record<string, unknown> }> {
  return promise.then(
    () => ({ code: 'none', message: '', extra: {} }),
    (error: { code: string; message: string; extra: Record<string, unknown> }) => error,
  )
}
