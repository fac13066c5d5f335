import type { CanonicalEvent, EventType } from './canonical-event.ts'

/** What stands in for a secret in everything that is shown. */
export const SECRET_MASK = '********'

/** A destination's settings as they are stored, in wire spelling, checked by the provider. */
export type ProviderConfig = Record<string, unknown>

/** How a provider takes a type: as it is, turned into something else, or not at all (then the event counts as delivered). */
export type Support = 'native' | 'mapped' | 'unsupported'

/** What one request to a destination may hold, and how it is sent. */
export interface Limits {
  items: number
  /** Of the request's body. */
  bytes: number
  itemBytes: number
  /** Requests in flight at once; events of one user never are in two of them. */
  concurrency: number
  timeoutMs: number
  /** How long an incomplete batch waits for more events; 0 sends what is there. */
  lingerMs: number
  /** Events older than this are refused. */
  maxAgeMs?: number
  /** Events further ahead than this are refused. */
  maxFutureMs?: number
}

/** One piece of a request. An event becomes none, one or several of them. */
export interface Item {
  /** Items of different lanes never share a request, since they go to different endpoints. */
  lane: string
  /** What the vendor recognises a duplicate by; the same over all retries. */
  key: string
  /** JSON text. */
  body: string
}

/** What a provider makes of one event. */
export type Encoded = { items: Item[] } | { skip: string } | { reject: string; message: string }

/** The verdict on one item. */
export type Result =
  | { kind: 'ok' }
  /** `free`: others of the request were refused and this one is to be sent again at once. */
  | { kind: 'retry'; message: string; afterMs?: number; free?: boolean }
  /** Will never be taken: becomes a dead letter. */
  | { kind: 'reject'; code: string; message: string }
  /** Credentials or settings were refused: the destination stops and its events stay. */
  | { kind: 'halt'; code: string; message: string }

/** The verdict on one request. */
export type Outcome =
  | { kind: 'all'; result: Result }
  /** One result per item, in the order of the request. */
  | { kind: 'each'; results: Result[] }
  /** Too large: send it in halves; a single item is rejected. */
  | { kind: 'split'; message: string }
  /** One of the items is faulty and the answer does not say which: send halves; a single item is rejected. */
  | { kind: 'bisect'; message: string }

export interface HttpRequest {
  method: 'POST' | 'PUT' | 'PATCH'
  url: string
  headers: Record<string, string>
  body: string
}

export interface HttpResponse {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  body: string
}

/** What surrounds one attempt. */
export interface RequestContext {
  /** Identifies the very items of the request; the same when they are sent again. */
  batchId: string
  /** 1 for the first attempt. */
  attempt: number
  /** Epoch milliseconds. */
  now: number
}

interface ProviderBase {
  name: string
  /** Other names that users know it by. */
  aliases: readonly string[]
  /** Settings whose values are never shown; of an object, every value. */
  secretKeys: readonly string[]
  /**
   * Checks settings and returns them as they are to be stored: what is `null` is dropped, nothing is added.
   * @throws SignalbookError `invalid_request` naming the key and what would be right, never the value
   */
  checkConfig(config: ProviderConfig): ProviderConfig
  supports: Readonly<Record<EventType, Support>>
  /** Ids without which the vendor refuses an event: a user's, any, or none. */
  identity: 'user' | 'user_or_anon' | 'none'
  limits(config: ProviderConfig): Limits
  /** Pure. `json` writes the event as JSON, once for all who ask. May throw: then the event becomes a dead letter and the others go on. */
  encode(event: CanonicalEvent, config: ProviderConfig, json: () => string): Encoded
}

/** A provider that is reached by HTTP requests, which the relay sends. */
export interface HttpProvider extends ProviderBase {
  transport: 'http'
  /** Pure: joins items of one lane into a request. */
  request(items: readonly Item[], config: ProviderConfig, context: RequestContext): HttpRequest
  /** Pure: judges an answer; `undefined` leaves it to the default classifier. */
  classify?(response: HttpResponse, items: readonly Item[], config: ProviderConfig, context: RequestContext): Outcome | undefined
}

/** What a local provider may touch. */
export interface LocalEnvironment {
  /** Absolute path of the directory that holds the service's data. */
  dataDirectory: string
  stdout: NodeJS.WritableStream
}

/** A local destination that is open. */
export interface LocalTransport {
  deliver(items: readonly Item[]): Promise<Outcome>
  close(): Promise<void>
}

/** A provider inside this process or on this machine. */
export interface LocalProvider extends ProviderBase {
  transport: 'local'
  open(config: ProviderConfig, environment: LocalEnvironment): Promise<LocalTransport>
}

export type Provider = HttpProvider | LocalProvider

/** Support for all five types as they are. */
export const ALL_NATIVE: Readonly<Record<EventType, Support>> = { track: 'native', identify: 'native', group: 'native', page: 'native', alias: 'native' }
