import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import { SignalbookError, invalid } from '../../error.ts'
import type { Violation } from '../../registry/violation.ts'
import type { DeprecationNotice } from '../../snapshot/planned-spec.ts'
import type { Snapshot } from '../../snapshot/snapshot.ts'
import type { Source } from '../../store/sources.ts'
import { formatTime } from '../../time.ts'
import { readSenderTime } from './event-times.ts'
import { judgeAll } from './judge.ts'
import type { Ambiguity, Judgement } from './judge.ts'
import type { AppendResult, NewEvent, RelayLog } from '../log/log.ts'
import { readContext } from './merge-context.ts'
import { normalise } from './normalise.ts'
import type { FieldName } from './read-field.ts'
import type { RelayCall, RelayContext, RelayRequest } from './relay-call.ts'

export type { RelayCall } from './relay-call.ts'

export interface AcceptDeps {
  relayLog: RelayLog
  newId: () => string
  random: () => number
}

export interface AcceptInput {
  snapshot: Snapshot
  source: string
  calls: RelayCall[]
  /** Default context of a batch. */
  batchContext?: RelayContext | null | undefined
  /** `sent_at` of a batch. */
  sentAt?: string | null | undefined
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
  const { snapshot, request } = input
  const read = readCalls(deps, input, source)
  const judged = await judgeAll(deps, { snapshot, source, events: read.map(({ event }) => event) })
  const judgements = judged.map((each, index) => (each.verdict === 'ambiguous' ? refuseAmbiguity(input, index, source, each) : each))
  const destinationIds = destinationsOf(snapshot, source)
  const events = read.flatMap(({ event, text }, index) => newEvent(event, text, judgements[index] as Judgement, destinationIds, request.receivedAt) ?? [])
  const outcomes = judgements.map((judgement, index) => outcomeOf(judgement, index, read[index]?.event.message_id as string))
  return { outcomes, storing: events.length > 0 ? deps.relayLog.append(events) : Promise.resolve([]) }
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

interface ReadCall {
  event: CanonicalEvent
  /** Its JSON. */
  text: string
}

function readCalls(deps: AcceptDeps, input: AcceptInput, source: Source): ReadCall[] {
  const batchContext = readContext(input.batchContext, asNamed)
  const sentAt = readSenderTime(input.sentAt, asNamed, 'sent_at')
  const { request, idempotencyKey, snapshot } = input
  const receivedAtText = formatTime(request.receivedAt)
  const { maxEventBytes } = snapshot.settings
  return input.calls.map((call, index) => {
    if (typeof call !== 'object' || call === null || Array.isArray(call)) throw invalid(`${namer(input, index)('')} must be an object`)
    return normalise(deps, { call, source: source.name, batchContext, sentAt, request, receivedAtText, idempotencyKey, named: namer(input, index), maxEventBytes })
  })
}

function namer(input: AcceptInput, index: number): FieldName {
  if (!input.isBatch) return asNamed
  return (field) => (field === '' ? `events[${index}]` : `events[${index}].${field}`)
}

const asNamed: FieldName = (field) => field

function refuseAmbiguity(input: AcceptInput, index: number, source: Source, { candidates }: Ambiguity): never {
  const name = namer(input, index)(input.calls[index]?.type === 'page' ? 'name' : 'event_name')
  throw invalid(`${name} fits several event specs of source "${source.name}": ${candidates.join(', ')}; send one of these as the name`)
}

function newEvent(event: CanonicalEvent, text: string, judgement: Judgement, destinationIds: number[], receivedAt: number): NewEvent | undefined {
  const { verdict } = judgement
  if (verdict === 'blocked') return undefined
  return {
    source: event.source,
    messageId: event.message_id,
    type: event.type,
    eventName: (event.event_name ?? event.name)?.slice(0, LISTED_NAME_LENGTH),
    verdict,
    destinationIds: verdict === 'accepted' ? destinationIds : NO_DESTINATIONS,
    spec: judgement.spec,
    violations: judgement.violations.length > 0 ? judgement.violations : undefined,
    receivedAt,
    event: text,
  }
}
