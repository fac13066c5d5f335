import type { CallType } from './event-spec.ts'

const PARTS: Record<CallType, 'properties' | 'traits' | undefined> = {
  track: 'properties',
  page: 'properties',
  identify: 'traits',
  group: 'traits',
  alias: undefined,
}

/** The part of a relay call that an event spec's `properties` describe; `undefined` for alias, which carries ids only. */
export function payloadPart(type: CallType): 'properties' | 'traits' | undefined {
  return PARTS[type]
}
