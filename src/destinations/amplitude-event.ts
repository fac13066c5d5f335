import type { CanonicalEvent } from './canonical-event.ts'
import type { ProviderConfig } from './destination.ts'
import { pageEventName } from './page-event-name.ts'
import { wellKnown } from './well-known-attributes.ts'
import { withoutNulls } from './without-nulls.ts'

const DEFAULT_GROUP_TYPE = 'group'

/** Amplitude's field, its type there, and the properties of a sender that it is read from. */
const REVENUE_FIELDS = [
  ['price', 'number', ['price']],
  ['quantity', 'number', ['quantity']],
  ['revenue', 'number', ['revenue']],
  ['productId', 'string', ['productId', 'product_id']],
  ['revenueType', 'string', ['revenueType', 'revenue_type']],
] as const

interface CommonFields {
  insert_id: string
  /** Epoch milliseconds. */
  time: number
  user_id?: string
  device_id?: string
}

/** One event as Amplitude takes it. */
export interface AmplitudeEvent extends CommonFields {
  event_type: string
  [field: string]: unknown
}

/** What becomes of a track, identify, group or page call: one event, of a group two. Empty when Amplitude could not tell whose it is. */
export function amplitudeEvents(event: CanonicalEvent, config: ProviderConfig): AmplitudeEvent[] {
  const ids = identity(event)
  if (ids.user_id === undefined && ids.device_id === undefined) return []
  const common = { insert_id: event.message_id, ...ids, time: Date.parse(event.timestamp), ...device(event) }
  switch (event.type) {
    case 'identify':
      return [{ ...common, event_type: '$identify', user_properties: { $set: withoutNulls(event.traits) } }]
    case 'group':
      return groupEvents(event, common, (config['group_type'] ?? DEFAULT_GROUP_TYPE) as string)
    case 'page':
      return [{ ...common, event_type: pageEventName(event, config), event_properties: { ...withoutNulls(event.properties), name: event.name } }]
    default:
      return [{ ...common, event_type: event.event_name ?? '', event_properties: withoutNulls(event.properties), ...revenue(event.properties) }]
  }
}

function groupEvents(event: CanonicalEvent, common: CommonFields, groupType: string): AmplitudeEvent[] {
  const groups = { [groupType]: event.group_id }
  return [
    { ...common, event_type: '$identify', user_properties: { $set: groups }, groups },
    // An insert_id of its own, or Amplitude takes it for the same event again.
    { ...common, insert_id: `${event.message_id}:g`, event_type: '$groupidentify', group_properties: { $set: withoutNulls(event.traits) }, groups },
  ]
}

/** A device's own id tells more than the one that the sender made up for a session. */
function identity(event: CanonicalEvent): { user_id?: string; device_id?: string } {
  const deviceId = wellKnown(event).device?.id ?? event.anonymous_id
  return { ...(event.user_id === undefined ? {} : { user_id: event.user_id }), ...(deviceId === undefined ? {} : { device_id: deviceId }) }
}

function device(event: CanonicalEvent): Record<string, string> {
  const { app, os, device: hardware, locale, ip } = wellKnown(event)
  // No `ip`, no location: Amplitude uses a request's own address only when it is asked to.
  const fields = {
    app_version: app?.version,
    os_name: os?.name,
    os_version: os?.version,
    device_manufacturer: hardware?.manufacturer,
    device_model: hardware?.model,
    platform: hardware?.type,
    language: locale,
    ip,
  }
  return Object.fromEntries(Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined))
}

/** Amplitude refuses a whole request for one such field of another type; the property itself stays where it is. */
function revenue(properties: Record<string, unknown> = {}): Record<string, unknown> {
  if (typeof properties['revenue'] !== 'number') return {}
  return Object.fromEntries(
    REVENUE_FIELDS.flatMap(([field, type, names]) => {
      const value = names.map((name) => properties[name]).find((each) => typeof each === type)
      return value === undefined ? [] : [[field, value]]
    }),
  )
}
