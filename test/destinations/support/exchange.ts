import type { CanonicalEvent, EventType } from '../../../src/destinations/canonical-event.ts'
import type { Encoded, HttpProvider, HttpRequest, HttpResponse, Item, Outcome, ProviderConfig } from '../../../src/destinations/destination.ts'
import { classifyAnswer } from '../../../src/relay/delivery/outcome.ts'

/** When every request of these tests is sent. */
export const NOW = Date.parse('2026-11-21T09:30:00.000Z')
export const SENT_AT = '2026-11-21T09:30:00.000Z'
export const ID = '0b6c1f6e-6f6b-4b3a-9c5e-1d2f3a4b5c6d'
export const TIMESTAMP = '2026-11-21T09:00:00.000Z'
export const TIME_MS = Date.parse(TIMESTAMP)
const RECEIVED_AT = '2026-11-21T09:00:01.000Z'

const PAYLOADS: Record<EventType, Partial<CanonicalEvent>> = {
  track: { event_name: 'Order Completed', properties: { total: 20.5, coupon: null, lines: [{ sku: 'a', note: null }, null] } },
  identify: { traits: { email: 'ada@example.com', age: 36, phone: null } },
  group: { group_id: 'acme', traits: { name: 'Acme', seats: 12, plan: null } },
  page: { name: 'Pricing', properties: { url: 'https://example.com/pricing', referrer: 'https://example.com/', variant: null } },
  alias: { previous_id: 'guest-7' },
}

/** One call of a type, by a user on a device; what is `undefined` in `changes` is left out. */
export function call(type: EventType, changes: { [Key in keyof CanonicalEvent]?: CanonicalEvent[Key] | undefined } = {}): CanonicalEvent {
  const whole = {
    type,
    message_id: ID,
    source: 'web',
    ...PAYLOADS[type],
    user_id: 'u-1',
    ...(type === 'alias' ? {} : { anonymous_id: 'anon-1' }),
    context: { attributes: {} },
    timestamp: TIMESTAMP,
    received_at: RECEIVED_AT,
    ...changes,
  }
  return frozen(Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined))) as unknown as CanonicalEvent
}

/** Destinations share events, so a provider that changed one would change what the others send. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}

/** What senders put into the context, in spellings that differ. */
export const ATTRIBUTES = {
  ip_address: '203.0.113.9',
  user_agent: 'Mozilla/5.0',
  locale: 'de-CH',
  time_zone: 'Europe/Zurich',
  page: { url: 'https://example.com/cart', referrer: 'https://search.example/' },
  campaign: { name: 'autumn', source: 'newsletter', medium: 'email', term: 'shoes', content: 'top' },
  app: { version: '4.2' },
  os: { name: 'iOS', version: '18.1' },
  device: { id: 'idfv-1', type: 'ios', manufacturer: 'Apple', model: 'iPhone17,1' },
  group_id: 'acme',
  tier: 'gold',
  referral: null,
}

/** A destination under test: its provider and settings, checked as they are when it is registered. */
export interface Destination {
  provider: HttpProvider
  config: ProviderConfig
}

export function encoded({ provider, config }: Destination, event: CanonicalEvent): Encoded {
  return provider.encode(event, provider.checkConfig(config), () => JSON.stringify(event))
}

/** The items of events that are neither skipped nor refused. */
export function itemsOf(destination: Destination, events: CanonicalEvent[]): Item[] {
  return events.flatMap((event) => {
    const made = encoded(destination, event)
    if (!('items' in made)) throw new Error(`the event became no items: ${JSON.stringify(made)}`)
    return made.items
  })
}

/** The requests that events become, one per lane, their JSON bodies parsed. */
export function requestsOf(destination: Destination, events: CanonicalEvent[]): (Omit<HttpRequest, 'body'> & { body: unknown })[] {
  const lanes = Map.groupBy(itemsOf(destination, events), (item) => item.lane)
  return [...lanes.values()].map((items) => {
    const request = destination.provider.request(items, destination.provider.checkConfig(destination.config), { batchId: 'batch_1', attempt: 1, now: NOW })
    return { ...request, body: request.headers['content-type'] === 'application/json' ? (JSON.parse(request.body) as unknown) : request.body }
  })
}

/** What becomes of the items of one lane after an answer: the provider's verdict, else the default one, as the relay does it. */
export function verdictOn(destination: Destination, items: Item[], answer: Pick<HttpResponse, 'status'> & { headers?: Record<string, string>; body?: unknown }, attempt = 1): Outcome {
  const body = typeof answer.body === 'string' ? answer.body : answer.body === undefined ? '' : JSON.stringify(answer.body)
  const response = { status: answer.status, headers: answer.headers ?? {}, body }
  const config = destination.provider.checkConfig(destination.config)
  try {
    return destination.provider.classify?.(response, items, config, { batchId: 'batch_1', attempt, now: NOW }) ?? classifyAnswer(response, items.length, NOW)
  } catch {
    return classifyAnswer(response, items.length, NOW)
  }
}

/** The error text with which settings are refused; empty when they are accepted. */
export function refusal(provider: HttpProvider, config: ProviderConfig): string {
  try {
    provider.checkConfig(config)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}
