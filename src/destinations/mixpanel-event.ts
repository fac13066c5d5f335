import type { CanonicalEvent } from './canonical-event.ts'
import type { ProviderConfig } from './destination.ts'
import { fittingId } from './fitting-id.ts'
import { LIBRARY } from './library.ts'
import { distinctId, isOriginalMerge } from './mixpanel-identity.ts'
import { pageEventName } from './page-event-name.ts'
import { wellKnown } from './well-known-attributes.ts'
import { withoutNulls } from './without-nulls.ts'

/** Mixpanel takes insert ids of these characters, at most 36. */
const KEPT_INSERT_ID = /^[A-Za-z0-9-]{1,36}$/
const INSERT_ID_LENGTH = 36
/** What a sender's property of the same name must not replace. */
const RESERVED = new Set(['time', 'distinct_id', '$insert_id', '$user_id', '$device_id', '$group_id'])
/** Mixpanel's own name for the groups of a project that did not name one. */
const DEFAULT_GROUP_KEY = '$group_id'

/** One event as `/import` takes it. */
export interface MixpanelEvent {
  event: string
  properties: Record<string, unknown>
}

/** The property by which a project knows groups. */
export function groupKey(config: ProviderConfig): string {
  return (config['group_key'] ?? DEFAULT_GROUP_KEY) as string
}

/** A track or page call. */
export function mixpanelEvent(event: CanonicalEvent, config: ProviderConfig): MixpanelEvent {
  const { groupId } = wellKnown(event)
  const own = Object.entries(withoutNulls(event.properties)).filter(([key]) => !RESERVED.has(key))
  return {
    event: event.type === 'page' ? pageEventName(event, config) : (event.event_name ?? ''),
    properties: {
      ...surroundings(event),
      ...Object.fromEntries(own),
      ...(event.type === 'page' ? { name: event.name } : {}),
      ...(groupId === undefined ? {} : { [groupKey(config)]: [groupId] }),
      ...deduplication(event, event.message_id),
      distinct_id: distinctId(event, config),
      // By these two the simplified merge joins a device's events with its user's.
      ...(isOriginalMerge(config) ? {} : { $device_id: event.anonymous_id, $user_id: event.user_id }),
    },
  }
}

/** `$identify` and `$merge`, which join ids in projects with the original merge. */
export function joiningEvent(name: '$identify' | '$merge', ids: Record<string, unknown>, event: CanonicalEvent, key: string, config: ProviderConfig): MixpanelEvent {
  return { event: name, properties: { ...ids, ...deduplication(event, key), token: config['api_key'] } }
}

function deduplication(event: CanonicalEvent, key: string): { $insert_id: string; time: number } {
  return { $insert_id: fittingId(key, KEPT_INSERT_ID, INSERT_ID_LENGTH), time: Date.parse(event.timestamp) }
}

/** The context under Mixpanel's names. Without `ip` there is no location: `/import` does not look at the request's address. */
function surroundings(event: CanonicalEvent): Record<string, unknown> {
  const { ip, page, os, app, campaign, library } = wellKnown(event)
  const fields = {
    ip,
    $current_url: pageProperty(event, 'url') ?? page?.url,
    $referrer: pageProperty(event, 'referrer') ?? page?.referrer,
    $os: os?.name,
    $os_version: os?.version,
    $app_version_string: app?.version,
    utm_source: campaign?.source,
    utm_medium: campaign?.medium,
    utm_campaign: campaign?.name,
    utm_term: campaign?.term,
    utm_content: campaign?.content,
    mp_lib: library?.name ?? LIBRARY.name,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** What a page call says of the page itself. */
function pageProperty(event: CanonicalEvent, name: string): unknown {
  const value = event.type === 'page' ? event.properties?.[name] : undefined
  return typeof value === 'string' ? value : undefined
}
