import { SECOND } from '../duration.ts'
import type { CanonicalEvent } from './canonical-event.ts'
import type { Encoded, ProviderConfig } from './destination.ts'
import { messageUlid } from './message-ulid.ts'
import { wellKnown } from './well-known-attributes.ts'
import { withoutNulls } from './without-nulls.ts'

type Identifiers = Record<string, string>
type Operation = Record<string, unknown>

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
const OWN_ID = /^cio_(.+)$/i
const DEFAULT_OBJECT_TYPE_ID = '1'
/** Larger numbers are milliseconds: as seconds this is the year 5138. */
const MOST_SECONDS = 1e11

/** Turns an event into an operation of Customer.io's Track API, version 2. */
export function encodeOperation(event: CanonicalEvent, config: ProviderConfig): Encoded {
  const person = personOf(event)
  const key = messageUlid(event.message_id, event.timestamp)
  const encoded = (operation: Operation): Encoded => ({ items: [{ lane: '', key, body: JSON.stringify(operation) }] })
  switch (event.type) {
    case 'track':
      if (!person) return missingIdentity(event)
      return encoded({ ...occurrence('event', person, event, key), name: event.event_name ?? '' })
    case 'page':
      if (!person) return missingIdentity(event)
      return encoded({ ...occurrence('page', person, event, key), name: pageName(event, config) })
    case 'identify':
      return encodeIdentify(event, encoded)
    case 'group':
      return encoded(objectOperation(event, config, person))
    case 'alias': {
      if (event.user_id === undefined || event.previous_id === undefined) return { reject: 'missing_identity', message: 'customerio merges two persons by user_id and previous_id' }
      return encoded({ type: 'person', action: 'merge', primary: identifiersOf(event.user_id), secondary: identifiersOf(event.previous_id) })
    }
  }
}

/** Something that happened to a person; `id` is what Customer.io recognises a duplicate by. */
function occurrence(action: 'event' | 'page', identifiers: Identifiers, event: CanonicalEvent, id: string): Operation {
  return { type: 'person', action, identifiers, id, timestamp: seconds(event.timestamp), attributes: withoutNulls(event.properties) }
}

function encodeIdentify(event: CanonicalEvent, encoded: (operation: Operation) => Encoded): Encoded {
  const { createdAt, ...traits } = withoutNulls(event.traits)
  const email = typeof traits['email'] === 'string' && EMAIL.test(traits['email']) ? traits['email'] : undefined
  const identifiers = event.user_id === undefined ? email && { email } : identifiersOf(event.user_id)
  if (!identifiers) return { reject: 'missing_identity', message: 'customerio identifies nobody without user_id or the trait email' }
  const created = traits['created_at'] ?? createdAt
  const attributes = {
    ...traits,
    ...(created === undefined ? {} : { created_at: secondsOrAsIs(created) }),
    ...(event.anonymous_id === undefined ? {} : { anonymous_id: event.anonymous_id }),
    // By it, Customer.io does not let an older event overwrite what a newer one said.
    _timestamp: seconds(event.timestamp),
  }
  return encoded({ type: 'person', action: 'identify', identifiers, attributes })
}

function objectOperation(event: CanonicalEvent, config: ProviderConfig, person: Identifiers | undefined): Operation {
  return {
    type: 'object',
    action: person && 'anonymous_id' in person ? 'identify_anonymous' : 'identify',
    identifiers: { object_type_id: config['object_type_id'] ?? DEFAULT_OBJECT_TYPE_ID, object_id: event.group_id ?? '' },
    attributes: withoutNulls(event.traits),
    ...(person ? { cio_relationships: [{ identifiers: person }] } : {}),
  }
}

function personOf(event: CanonicalEvent): Identifiers | undefined {
  if (event.user_id !== undefined) return identifiersOf(event.user_id)
  return event.anonymous_id === undefined ? undefined : { anonymous_id: event.anonymous_id }
}

function identifiersOf(userId: string): Identifiers {
  const own = OWN_ID.exec(userId)?.[1]
  if (own !== undefined) return { cio_id: own }
  return EMAIL.test(userId) ? { email: userId } : { id: userId }
}

function pageName(event: CanonicalEvent, config: ProviderConfig): string {
  const { url, title, path } = event.properties ?? {}
  const urls = [url, wellKnown(event).page?.url]
  const candidates = config['page_name_from'] === 'url' ? [...urls, event.name, title, path] : [event.name, title, path, ...urls]
  return candidates.find((each): each is string => typeof each === 'string' && each !== '') ?? 'Page'
}

function seconds(timestamp: string): number {
  return Math.floor(Date.parse(timestamp) / SECOND)
}

/** What Customer.io could not read as a time stays as the sender wrote it. */
function secondsOrAsIs(time: unknown): unknown {
  const number = typeof time === 'string' ? (/^\d+$/.test(time) ? Number(time) : Date.parse(time) / SECOND) : time
  if (typeof number !== 'number' || !Number.isFinite(number)) return time
  return Math.floor(number > MOST_SECONDS ? number / SECOND : number)
}

function missingIdentity(event: CanonicalEvent): Encoded {
  return { reject: 'missing_identity', message: `customerio takes no ${event.type} without user_id or anonymous_id` }
}
