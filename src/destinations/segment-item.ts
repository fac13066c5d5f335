import type { CanonicalEvent } from './canonical-event.ts'
import { LIBRARY } from './library.ts'
import { withoutNulls } from './without-nulls.ts'

/** The one spelling that Segment, RudderStack and Jitsu read. */
const SPELLINGS = new Map([
  ['ip_address', 'ip'],
  ['ipAddress', 'ip'],
  ['user_agent', 'userAgent'],
  ['time_zone', 'timezone'],
  ['timeZone', 'timezone'],
  ['group_id', 'groupId'],
])

/** What Segment's batch endpoint takes for one event; RudderStack and Jitsu take the same and a little more. */
export interface SegmentItem {
  type: string
  messageId: string
  timestamp: string
  userId?: string
  anonymousId?: string
  event?: string
  name?: string
  groupId?: string
  previousId?: string
  properties?: Record<string, unknown>
  traits?: Record<string, unknown>
  context: Record<string, unknown>
}

/** Turns an event into Segment's shape. @param messageId as the vendor keeps it */
export function segmentItem(event: CanonicalEvent, messageId: string): SegmentItem {
  return {
    type: event.type,
    messageId,
    timestamp: event.timestamp,
    ...(event.user_id === undefined ? {} : { userId: event.user_id }),
    ...(event.anonymous_id === undefined ? {} : { anonymousId: event.anonymous_id }),
    ...payload(event),
    context: context(event.context.attributes),
  }
}

function payload(event: CanonicalEvent): Partial<SegmentItem> {
  switch (event.type) {
    case 'track':
      return { event: event.event_name ?? '', properties: withoutNulls(event.properties) }
    case 'identify':
      return { traits: withoutNulls(event.traits) }
    case 'group':
      return { groupId: event.group_id ?? '', traits: withoutNulls(event.traits) }
    case 'page':
      return { name: event.name ?? '', properties: withoutNulls(event.properties) }
    case 'alias':
      return { previousId: event.previous_id ?? '' }
  }
}

function context(attributes: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(withoutNulls(attributes))
  const respelled = entries.flatMap(([key, value]) => (SPELLINGS.has(key) ? [[SPELLINGS.get(key) as string, value] as const] : []))
  // The vendor's own spelling comes later and wins.
  return { ...Object.fromEntries([...respelled, ...entries.filter(([key]) => !SPELLINGS.has(key))]), library: LIBRARY }
}
