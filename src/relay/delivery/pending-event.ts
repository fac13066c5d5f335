import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import type { Item, Limits, Provider, ProviderConfig } from '../../destinations/destination.ts'
import type { RelayAttempt } from '../../store/relay/relay-attempts.ts'
import type { RelayEvent } from '../../store/relay/relay-event.ts'
import { eventOf, jsonOf } from '../kept-request.ts'
import { preflight } from './preflight.ts'
import type { Refusal } from './preflight.ts'

/** An event on its way to one destination, from the reading of its row to the settlement. */
export interface PendingEvent {
  row: RelayEvent
  /** Events with the same key are never in two requests at once. */
  orderKey: string
  items: PendingItem[]
  attempts: number
  lastAttempt: LastAttempt | undefined
  /** When the time budget of its retries began. */
  failingSince: number | undefined
  /** Set when it will never be delivered. */
  dead: Refusal | undefined
}

/** What is remembered of an event's attempts. */
export interface LastAttempt {
  at: number
  /** `undefined` when there was no answer. */
  status: number | undefined
  durationMs: number
  /** What the last failed attempt was told; `undefined` as long as none failed. */
  message: string | undefined
}

export interface PendingItem {
  item: Item
  bytes: number
  owner: PendingEvent
  state: 'waiting' | 'in_flight' | 'done'
}

/** True when nothing is left to send: delivered, skipped or dead. */
export function isFinished(event: PendingEvent): boolean {
  return event.dead !== undefined || event.items.every((item) => item.state === 'done')
}

/** Gives an event up. Pieces of it that were delivered stay delivered. */
export function kill(event: PendingEvent, refusal: Refusal): void {
  event.dead ??= refusal
  for (const item of event.items) item.state = 'done'
}

/** True once something went otherwise than "delivered at once". */
export function isTroubled(event: PendingEvent): boolean {
  return event.dead !== undefined || event.lastAttempt?.message !== undefined
}

/** Takes up an event where an earlier session left it. */
export function continueAttempts(event: PendingEvent, earlier: RelayAttempt | undefined): void {
  if (!earlier) return
  const { attempts, attemptedAt: at = 0, status, durationMs = 0, message } = earlier
  event.attempts = attempts
  event.lastAttempt = { at, status, durationMs, message }
}

export interface PrepareDeps {
  provider: Provider
  config: ProviderConfig
  limits: Limits
  now: () => number
}

/** Turns a row of the log into items. Never throws: an event that its provider cannot encode is dead at once and the others go on. */
export function prepare(deps: PrepareDeps, row: RelayEvent): PendingEvent {
  const pending: PendingEvent = { row, orderKey: row.source, items: [], attempts: 0, lastAttempt: undefined, failingSince: undefined, dead: undefined }
  try {
    const event = eventOf(row)
    // Events without any id cannot be told apart by user; those of one source stay in line.
    pending.orderKey = event.user_id ?? event.anonymous_id ?? `\n${row.source}`
    if (deps.provider.supports[event.type] === 'unsupported') return pending
    const refusal = preflight(event, deps.provider, deps.limits, deps.now())
    if (refusal) kill(pending, refusal)
    else encodeInto(pending, deps, event)
  } catch (error) {
    kill(pending, { code: 'encoder_failed', message: `the event could not be encoded: ${error instanceof Error ? error.message : String(error)}` })
  }
  return pending
}

function encodeInto(pending: PendingEvent, { provider, config, limits }: PrepareDeps, event: CanonicalEvent): void {
  const encoded = provider.encode(event, config, () => jsonOf(pending.row))
  if ('reject' in encoded) return kill(pending, { code: encoded.reject, message: encoded.message })
  if ('skip' in encoded) return
  for (const item of encoded.items) {
    const bytes = Buffer.byteLength(item.body)
    if (bytes > limits.itemBytes) {
      return kill(pending, { code: 'too_large', message: `${provider.name} takes at most ${limits.itemBytes} bytes per item; this one has ${bytes}` })
    }
    pending.items.push({ item, bytes, owner: pending, state: 'waiting' })
  }
}
