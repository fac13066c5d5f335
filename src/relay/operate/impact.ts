import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import { SECOND } from '../../duration.ts'
import type { Violation } from '../../registry/violation.ts'
import type { Database } from '../../store/db.ts'
import { listEventsNamed } from '../../store/relay/relay-event-search.ts'
import { readLastSequence } from '../../store/relay/relay-sequence.ts'
import { eventOf } from '../kept-request.ts'

export interface ImpactDeps {
  relayDb: Database
  now: () => number
}

/** The spec whose publication is considered. */
export interface Candidate {
  type: CanonicalEvent['type']
  /** What senders may call it; `undefined` for calls without a name. */
  names: string[] | undefined
  /** Whether a source's globs let it send this event. */
  isSentBy: (source: string) => boolean
  validate: (payload: unknown, contextAttributes: unknown) => Violation[]
}

/** What the candidate would have refused of one source's events. */
export interface SourceImpact {
  source: string
  checked: number
  refused: number
  samples: { messageId: string; violations: Violation[]; event: CanonicalEvent }[]
}

export interface Impact {
  /** How many events of the log were looked at, of any name. */
  scanned: number
  checked: number
  refused: number
  /** Which bound ended the search before the log did. */
  limitedBy: 'events' | 'time' | undefined
  sources: SourceImpact[]
}

// The relay works on the same database: a look into the past must stay small, and give way between its steps.
const MOST_EVENTS = 10_000
const MOST_TIME_MS = 2 * SECOND
const STEP = 500
// Large events of a slow spec would otherwise hold up every other request for a whole step.
const LONGEST_TURN_MS = 10
const SAMPLES = 5

/** Judges the most recent events of the log by a candidate, newest first, within 10,000 events and 2 s. */
export async function measureImpact(deps: ImpactDeps, candidate: Candidate): Promise<Impact> {
  const until = deps.now() + MOST_TIME_MS
  const newest = await readLastSequence(deps.relayDb.knex)
  const oldest = Math.max(1, newest - MOST_EVENTS + 1)
  const sources = new Map<string, SourceImpact>()
  let next = newest
  let turnBeganAt = performance.now()
  const giveWay = async () => {
    await new Promise(setImmediate)
    turnBeganAt = performance.now()
  }
  while (next >= oldest && deps.now() < until) {
    const first = Math.max(oldest, next - STEP + 1)
    for (const row of await listEventsNamed(deps.relayDb.knex, { first, last: next, type: candidate.type, names: candidate.names })) {
      if (candidate.isSentBy(row.source)) judge(candidate, eventOf(row), sources)
      if (performance.now() - turnBeganAt > LONGEST_TURN_MS) await giveWay()
    }
    next = first - 1
    await giveWay()
  }
  const found = [...sources.values()].sort((one, other) => other.refused - one.refused || (one.source < other.source ? -1 : 1))
  const sum = (key: 'checked' | 'refused') => found.reduce((total, each) => total + each[key], 0)
  return {
    scanned: newest - next,
    checked: sum('checked'),
    refused: sum('refused'),
    limitedBy: next >= oldest ? 'time' : oldest > 1 ? 'events' : undefined,
    sources: found,
  }
}

function judge(candidate: Candidate, event: CanonicalEvent, sources: Map<string, SourceImpact>): void {
  const impact = sources.get(event.source) ?? { source: event.source, checked: 0, refused: 0, samples: [] }
  sources.set(event.source, impact)
  impact.checked++
  const violations = candidate.validate(event.properties ?? event.traits, event.context.attributes)
  if (violations.length === 0) return
  impact.refused++
  if (impact.samples.length < SAMPLES) impact.samples.push({ messageId: event.message_id, violations, event })
}
