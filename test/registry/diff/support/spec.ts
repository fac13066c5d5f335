import type { EventSpec, PropertyDefinition } from '../../../../src/registry/event-spec.ts'

/** An event spec with only what a test is about. */
export function specWith(parts: Partial<EventSpec>): EventSpec {
  return { namespace: 'shop', name: 'order_completed', version: '1-0-0', status: 'active', type: 'track', event_name: 'Order Completed', ...parts }
}

export function specOf(properties: Record<string, PropertyDefinition>, parts: Partial<EventSpec> = {}): EventSpec {
  return specWith({ properties, ...parts })
}
