import type { CanonicalEvent } from './canonical-event.ts'
import type { Encoded, ProviderConfig } from './destination.ts'
import { analyticsEventName } from './google-analytics-names.ts'
import { analyticsParameters, analyticsUserProperties } from './google-analytics-parameters.ts'
import { wellKnown } from './well-known-attributes.ts'

type Fields = Record<string, unknown>

/** Google Analytics shows no user as active without it. */
const ENGAGEMENT_MS = 1
const CONSENT_KEYS = ['ad_user_data', 'ad_personalization']
/** Sent under names of Google's. */
const PAGE_PROPERTIES = ['url', 'title', 'referrer', 'path']

/**
 * Turns an event into an item whose lane is the head of its request in JSON: ids, consent, address and user properties are
 * said once per request, so that only events which agree in all of them can share one.
 */
export function encodeForAnalytics(event: CanonicalEvent, config: ProviderConfig): Encoded {
  if (event.type === 'alias' || (event.type === 'identify' && !config['identify_event'])) return { skip: 'unsupported_type' }
  const client = clientOf(event, config)
  if (!client) return { reject: 'missing_identity', message: 'google-analytics takes no event without user_id, anonymous_id or the attribute ga_client_id (apps: ga_app_instance_id)' }
  const named = analyticsEventName(nameOf(event, config))
  if ('refusal' in named) return { reject: 'invalid_name', message: named.refusal }
  const body = {
    name: named.name,
    params: analyticsParameters({ engagement_time_msec: ENGAGEMENT_MS, session_id: sessionOf(event), ...ownParameters(event) }, otherProperties(event)),
    timestamp_micros: Date.parse(event.timestamp) * 1000,
  }
  return { items: [{ lane: JSON.stringify({ ...client, ...headOf(event, config) }), key: event.message_id, body: JSON.stringify(body) }] }
}

function clientOf(event: CanonicalEvent, config: ProviderConfig): Fields | undefined {
  const isApp = config['firebase_app_id'] !== undefined
  const { attributes } = event.context
  const id = textOf(attributes[isApp ? 'ga_app_instance_id' : 'ga_client_id']) ?? event.anonymous_id ?? event.user_id
  if (id === undefined) return undefined
  return isApp ? { app_instance_id: id } : { client_id: id }
}

function headOf(event: CanonicalEvent, config: ProviderConfig): Fields {
  const { ip } = wellKnown(event)
  const consent = consentOf(event)
  const userProperties = event.type === 'identify' ? analyticsUserProperties(event.traits) : {}
  return {
    ...(event.user_id === undefined || config['send_user_id'] === false ? {} : { user_id: event.user_id }),
    ...(ip === undefined ? {} : { ip_override: ip }),
    ...(Object.keys(consent).length === 0 ? {} : { consent }),
    ...(Object.keys(userProperties).length === 0 ? {} : { user_properties: userProperties }),
  }
}

function nameOf(event: CanonicalEvent, config: ProviderConfig): string {
  if (event.type === 'track') return event.event_name ?? ''
  if (event.type === 'identify') return config['identify_event'] as string
  return event.type === 'group' ? 'join_group' : 'page_view'
}

function ownParameters(event: CanonicalEvent): Fields {
  if (event.type === 'group') return { group_id: event.group_id }
  if (event.type !== 'page') return {}
  const { page } = wellKnown(event)
  const { url, title, referrer, path } = event.properties ?? {}
  return {
    page_location: textOf(url) ?? page?.url,
    page_title: textOf(title) ?? page?.title ?? event.name,
    page_referrer: textOf(referrer) ?? page?.referrer,
    page_path: textOf(path) ?? page?.path,
  }
}

function otherProperties(event: CanonicalEvent): Fields {
  const entries = Object.entries(event.properties ?? {})
  return Object.fromEntries(event.type === 'page' ? entries.filter(([key]) => !PAGE_PROPERTIES.includes(key)) : entries)
}

function sessionOf({ context: { attributes } }: CanonicalEvent): unknown {
  return attributes['ga_session_id'] ?? attributes['session_id'] ?? attributes['sessionId']
}

function consentOf({ context: { attributes } }: CanonicalEvent): Fields {
  const given = (typeof attributes['consent'] === 'object' && attributes['consent'] !== null ? attributes['consent'] : {}) as Fields
  return Object.fromEntries(CONSENT_KEYS.filter((key) => given[key] === 'GRANTED' || given[key] === 'DENIED').map((key) => [key, given[key]]))
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}
