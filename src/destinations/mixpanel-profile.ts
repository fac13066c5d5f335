import type { CanonicalEvent } from './canonical-event.ts'
import type { ProviderConfig } from './destination.ts'
import { distinctId } from './mixpanel-identity.ts'
import { groupKey } from './mixpanel-event.ts'
import { wellKnown } from './well-known-attributes.ts'
import { withoutNulls } from './without-nulls.ts'

/** Traits that Mixpanel has names of its own for; of two spellings the later one here wins. */
const PROFILE_NAMES = new Map([
  ['email', '$email'],
  ['firstName', '$first_name'],
  ['first_name', '$first_name'],
  ['lastName', '$last_name'],
  ['last_name', '$last_name'],
  ['name', '$name'],
  ['phone', '$phone'],
  ['created', '$created'],
  ['createdAt', '$created'],
  ['created_at', '$created'],
  ['avatar', '$avatar'],
  ['username', '$username'],
  ['city', '$city'],
  ['country', '$country_code'],
  ['state', '$region'],
  ['region', '$region'],
])

/** What an identify call makes of a user's profile at `/engage`. */
export function profileUpdate(event: CanonicalEvent, config: ProviderConfig): Record<string, unknown> {
  const { ip } = wellKnown(event)
  return { $token: config['api_key'], $distinct_id: distinctId(event, config), ...(ip === undefined ? {} : { $ip: ip }), $set: renamed(withoutNulls(event.traits)) }
}

/** What a group call makes of its user's profile at `/engage`: one more group, the earlier ones stay. */
export function membershipUpdate(event: CanonicalEvent, config: ProviderConfig): Record<string, unknown> {
  const { ip } = wellKnown(event)
  return { $token: config['api_key'], $distinct_id: distinctId(event, config), ...(ip === undefined ? {} : { $ip: ip }), $union: { [groupKey(config)]: [event.group_id] } }
}

/** What a group call makes of the group's profile at `/groups`. */
export function groupUpdate(event: CanonicalEvent, config: ProviderConfig): Record<string, unknown> {
  const traits = withoutNulls(event.traits)
  const name = traits['name']
  return { $token: config['api_key'], $group_key: groupKey(config), $group_id: event.group_id, $set: { ...traits, ...(name === undefined ? {} : { $name: name }) } }
}

function renamed(traits: Record<string, unknown>): Record<string, unknown> {
  const plain = Object.entries(traits).filter(([key]) => !PROFILE_NAMES.has(key))
  const named = [...PROFILE_NAMES].filter(([key]) => Object.hasOwn(traits, key)).map(([key, name]) => [name, traits[key]] as const)
  return Object.fromEntries([...named, ...plain])
}
