import type { CanonicalEvent } from './canonical-event.ts'
import type { ProviderConfig } from './destination.ts'
import { LIBRARY } from './library.ts'
import { messageUuid } from './message-uuid.ts'
import { wellKnown } from './well-known-attributes.ts'
import type { WellKnown } from './well-known-attributes.ts'
import { withoutNulls } from './without-nulls.ts'

type Properties = Record<string, unknown>

/** What PostHog's batch endpoint takes for one event. */
export interface PosthogEvent {
  event: string
  distinct_id: string
  properties: Properties
  timestamp: string
  uuid: string
}

const DEFAULT_GROUP_TYPE = 'group'

/** Turns an event into PostHog's shape. @returns `undefined` when it names nobody whom PostHog could keep it for */
export function posthogEvent(event: CanonicalEvent, config: ProviderConfig): PosthogEvent | undefined {
  const known = wellKnown(event)
  const { name, distinctId, properties } = shape(event, config, known)
  if (distinctId === undefined) return undefined
  return {
    event: name,
    distinct_id: distinctId,
    properties: withoutNulls({ ...sender(known, config), ...properties }),
    timestamp: event.timestamp,
    uuid: messageUuid(event.message_id),
  }
}

function shape(event: CanonicalEvent, config: ProviderConfig, known: WellKnown): { name: string; distinctId: string | undefined; properties: Properties } {
  const { user_id: userId, anonymous_id: anonymousId } = event
  const distinctId = userId ?? anonymousId
  switch (event.type) {
    case 'track':
      return { name: event.event_name ?? '', distinctId, properties: { ...surroundings(event, config, known), ...event.properties } }
    case 'page': {
      const own = withName(event)
      return { name: '$pageview', distinctId, properties: { ...surroundings(event, config, { ...known, page: { ...known.page, ...pageOf(own) } }), ...own } }
    }
    case 'identify': {
      // PostHog takes `$anon_distinct_id` for a demand to merge the two persons.
      const merged = userId !== undefined && userId !== anonymousId ? anonymousId : undefined
      return { name: '$identify', distinctId, properties: { ...technology(known), $set: event.traits ?? {}, $anon_distinct_id: merged } }
    }
    case 'group': {
      const type = groupType(event.traits?.['groupType'] ?? config['group_type'])
      const set = { $group_type: type, $group_key: event.group_id, $group_set: event.traits ?? {} }
      // As PostHog's SDKs do for a group that nobody in particular is the sender of.
      return { name: '$groupidentify', distinctId: userId ?? `$${type}_${event.group_id ?? ''}`, properties: set }
    }
    case 'alias':
      return { name: '$create_alias', distinctId: userId, properties: { distinct_id: userId, alias: event.previous_id } }
  }
}

/** Who sends, and from where the person's place may be told: never from the relay's own address. */
function sender(known: WellKnown, config: ProviderConfig): Properties {
  const isPlaceUnknown = config['geoip_disable'] ?? known.ip === undefined
  const library = known.library ?? LIBRARY
  return { $lib: library.name, $lib_version: library.version, $ip: known.ip, $geoip_disable: isPlaceUnknown === true ? true : undefined }
}

function surroundings(event: CanonicalEvent, config: ProviderConfig, known: WellKnown): Properties {
  const { page, campaign, groupId } = known
  const url = page?.url === undefined ? null : URL.parse(page.url)
  const isPersonless = event.user_id === undefined && config['person_profiles'] === 'identified_only'
  return {
    ...technology(known),
    $current_url: page?.url,
    $pathname: page?.path ?? url?.pathname,
    $host: url?.host,
    $referrer: page?.referrer,
    utm_campaign: campaign?.name,
    utm_source: campaign?.source,
    utm_medium: campaign?.medium,
    utm_term: campaign?.term,
    utm_content: campaign?.content,
    $groups: groupId === undefined ? undefined : { [groupType(config['group_type'])]: groupId },
    $process_person_profile: isPersonless ? false : undefined,
  }
}

function technology({ os, app, device, userAgent, locale, timezone }: WellKnown): Properties {
  return {
    $os: os?.name,
    $os_version: os?.version,
    $app_name: app?.name,
    $app_version: app?.version,
    $app_build: app?.build,
    $app_namespace: app?.namespace,
    $device_id: device?.id,
    $device_type: device?.type,
    $device_manufacturer: device?.manufacturer,
    $device_model: device?.model,
    $raw_user_agent: userAgent,
    $locale: locale,
    $timezone: timezone,
  }
}

function withName(event: CanonicalEvent): Properties {
  return { ...event.properties, ...(event.name === undefined ? {} : { name: event.name }) }
}

function pageOf(properties: Properties): NonNullable<WellKnown['page']> {
  return wellKnown({ context: { attributes: { page: properties } } }).page ?? {}
}

function groupType(given: unknown): string {
  return typeof given === 'string' && given !== '' ? given : DEFAULT_GROUP_TYPE
}
