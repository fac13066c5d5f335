import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import { SignalbookError, invalid } from '../../error.ts'
import type { Violation } from '../../registry/violation.ts'
import type { DeprecationNotice } from '../../snapshot/planned-spec.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { KeptRequest } from '../../store/relay/relay-event.ts'
import type { Source } from '../../store/sources.ts'
import { keepRequest } from '../kept-request.ts'
import type { AppendResult, NewEvent, RelayLog } from '../log/log.ts'
import { assertSize } from './event-size.ts'
import { judgeAll } from './judge.ts'
import type { Ambiguity, Judgement } from './judge.ts'
import { namer, readCalls } from './read-calls.ts'
import type { BatchDefaults, RelayCall, RelayRequest } from './relay-call.ts'

export type { RelayCall } from './relay-call.ts'

export interface AcceptDeps {
  relayLog: RelayLog
  /** What the ids begin with that are made for the calls of one request. */
  newIdPrefix: () => string
  random: () => number
}

export interface AcceptInput {
  snapshot: Snapshot
  source: string
  calls: RelayCall[]
  /** What a batch says for all its items. */
  defaults?: BatchDefaults | undefined
  /** The header `Idempotency-Key` of a single call: its message_id, if the body has none. */
  idempotencyKey?: string | undefined
  request: RelayRequest
  /** Whether errors name `events[i]`. */
  isBatch: boolean
}

/** The answer for one call. */
export interface CallOutcome {
  index: number
  /** `blocked`: it violates its spec and was not stored. */
  status: 'accepted' | 'quarantined' | 'sampled_out' | 'duplicate' | 'blocked'
  messageId: string
  violations?: Violation[]
  /** Set when the spec that governs the event is deprecated. */
  deprecation?: DeprecationNotice
}

// The longest name that the log can show in its lists; the event itself keeps all of it.
const LISTED_NAME_LENGTH = 200

/**
 * Takes calls in: reads, judges and stores them. Once it resolves all but the blocked ones are on disk; malformed input stores none of them.
 * @throws SignalbookError `invalid_request` naming what was wrong, `too_large`, `unavailable` when they cannot be stored now
 */
export async function acceptCalls(deps: AcceptDeps, input: AcceptInput): Promise<CallOutcome[]> {
  const { snapshot } = input
  const source = snapshot.source(input.source)
  if (!source) throw invalid(`source "${String(input.source).slice(0, 100)}" is not registered; register it with POST /v1/admin/sources`)
  if (input.isBatch) assertBatchSize(input.calls.length, snapshot.settings.maxBatchItems)
  const { outcomes, storing } = await handOver(deps, input, source)
  const results = await storing
  let stored = 0
  for (const outcome of outcomes) if (outcome.status !== 'blocked' && results[stored++] === 'duplicate') outcome.status = 'duplicate'
  return outcomes
}

/** Hands the calls to the log. What was parsed of them ends here: while they wait for the disk only what the log will hold is kept. */
async function handOver(deps: AcceptDeps, input: AcceptInput, source: Source): Promise<{ outcomes: CallOutcome[]; storing: Promise<AppendResult[]> }> {
  const { snapshot } = input
  const idPrefix = deps.newIdPrefix()
  const events = readCalls({ ...input, origin: input.request, idPrefix })
  events.forEach((event, index) => assertSize(event, snapshot.settings.maxEventBytes, () => namer(input.isBatch, index)('')))
  const judged = await judgeAll(deps, { snapshot, source, events })
  const judgements = judged.map((each, index) => (each.verdict === 'ambiguous' ? refuseAmbiguity(input, index, source, each) : each))
  const kept = keep(input, judgements)
  const destinationIds = destinationsOf(snapshot, source)
  const newEvents = events.flatMap((event, index) => newEvent({ event, index, idPrefix, kept, judgement: judgements[index] as Judgement, destinationIds, receivedAt: input.request.receivedAt }) ?? [])
  const outcomes = judgements.map((judgement, index) => outcomeOf(judgement, index, events[index]?.message_id as string))
  return { outcomes, storing: newEvents.length > 0 ? deps.relayLog.append(newEvents) : Promise.resolve([]) }
}

/** The request as the log keeps it for all its events; `undefined` when these are kept one by one. */
function keep({ calls, isBatch, request, snapshot }: AcceptInput, judgements: Judgement[]): KeptRequest | undefined {
  // What is refused must not be kept, and what stands in quarantine is written on its own.
  if (judgements.some(({ verdict }) => verdict === 'blocked') || judgements.every(isKeptApart)) return undefined
  const call = isBatch ? 'batch' : (calls[0] as RelayCall).type
  return keepRequest(request, { call, events: calls.length, maxEventBytes: snapshot.settings.maxEventBytes })
}

function isKeptApart({ verdict }: Judgement): boolean {
  return verdict === 'quarantined'
}

function outcomeOf({ verdict, violations, deprecation }: Judgement, index: number, messageId: string): CallOutcome {
  return { index, status: verdict, messageId, ...(violations.length > 0 ? { violations } : {}), ...(deprecation ? { deprecation } : {}) }
}

/** The ids of the destinations that a source has and that exist: those that an event accepted now goes to. */
export function destinationsOf(snapshot: Snapshot, source: Source): number[] {
  const known = destinationsBySource.get(snapshot) ?? new Map<Source, number[]>()
  destinationsBySource.set(snapshot, known)
  const ids = known.get(source) ?? [...new Set(source.destinations.map((name) => snapshot.destination(name)?.id).filter((id) => id !== undefined))]
  known.set(source, ids)
  return ids
}

// Events that go to the same destinations hold the same list, by which the log knows them as alike.
const destinationsBySource = new WeakMap<Snapshot, Map<Source, number[]>>()
const NO_DESTINATIONS: number[] = []

function assertBatchSize(count: number, maxItems: number): void {
  if (count === 0) throw invalid(`events must hold 1 to ${maxItems} items; it is empty`)
  if (count > maxItems) throw new SignalbookError('too_large', `events must hold 1 to ${maxItems} items (setting max_batch_items); it holds ${count}`)
}

function refuseAmbiguity(input: AcceptInput, index: number, source: Source, { candidates }: Ambiguity): never {
  const name = namer(input.isBatch, index)(input.calls[index]?.type === 'page' ? 'name' : 'event_name')
  throw invalid(`${name} fits several event specs of source "${source.name}": ${candidates.join(', ')}; send one of these as the name`)
}

interface Accepted {
  event: CanonicalEvent
  index: number
  idPrefix: string
  kept: KeptRequest | undefined
  judgement: Judgement
  destinationIds: number[]
  receivedAt: number
}

function newEvent({ event, index, idPrefix, kept, judgement, destinationIds, receivedAt }: Accepted): NewEvent | undefined {
  const { verdict } = judgement
  if (verdict === 'blocked') return undefined
  return {
    source: event.source,
    messageId: event.message_id,
    idPrefix: event.message_id.startsWith(idPrefix) ? idPrefix : undefined,
    type: event.type,
    eventName: (event.event_name ?? event.name)?.slice(0, LISTED_NAME_LENGTH),
    verdict,
    destinationIds: verdict === 'accepted' ? destinationIds : NO_DESTINATIONS,
    spec: judgement.spec,
    violations: judgement.violations.length > 0 ? judgement.violations : undefined,
    receivedAt,
    event: kept && !isKeptApart(judgement) ? { request: kept, item: index } : JSON.stringify(event),
  }
}
