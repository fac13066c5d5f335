import type { Change, EventSpec } from '../event-spec.ts'
import { hasBlindSpots } from './blind-spots.ts'
import { compareDocuments } from './comparison.ts'
import { families } from './families.ts'
import { NO_BREAKS } from './finding.ts'
import type { Breaks, Finding, Outcome } from './finding.ts'
import { jsonEqual } from './json-equal.ts'
import { payloadPart } from '../payload-part.ts'
import { pointerOf, subjectOf } from './place.ts'
import type { Field } from './place.ts'
import { schemaDocument } from './schema-document.ts'
import { UNPROVEN, witnessSearch } from './witness/search.ts'
import type { Proof, WitnessSearch } from './witness/search.ts'

const EVERYONE: Breaks = { producers: true, consumers: true }

/** Every change of the definitions in one field of a spec; without a search for witnesses none that needs one is proven. */
export function compareField(from: EventSpec, to: EventSpec, field: Field, isSearched: boolean): Change[] {
  if (from[field] === undefined && to[field] === undefined && field === 'context_properties') return []
  const documents = { from: schemaDocument(from, field), to: schemaDocument(to, field) }
  if (jsonEqual(documents.from.root, documents.to.root)) return []
  const { sides, ...outcome } = compareDocuments(documents, families)
  const isBlind = hasBlindSpots(documents.from) || hasBlindSpots(documents.to)
  const missing = unexplained(isBlind ? { findings: [], breaks: EVERYONE } : outcome)
  const findings = missing === undefined ? outcome.findings : [...outcome.findings, missing]
  const search = !isSearched ? () => UNPROVEN : witnessSearch({ from, field, sides, documents, findings })
  return findings.map((finding) => changeOf(judgedByCall(inContext(atRoot(finding), field), from, to, field), field, search))
}

/**
 * What breaks without a finding that says so: definitions that the comparison cannot follow, and findings beyond the number that
 * is kept. It must not pass in silence.
 */
function unexplained({ findings, breaks }: Outcome): Finding | undefined {
  const acceptance = {
    producers: breaks.producers && !findings.some((finding) => finding.acceptance.producers),
    consumers: breaks.consumers && !findings.some((finding) => finding.acceptance.consumers),
  }
  if (!acceptance.producers && !acceptance.consumers) return undefined
  return {
    rule: 'schema.undecided',
    kind: 'MAJOR',
    breaks: { ...NO_BREAKS, ...acceptance },
    acceptance,
    shownBy: 'undecided',
    at: [],
    trail: [],
    describe: (subject) => `${subject} may allow other values than before`,
    from: undefined,
    to: undefined,
    definitions: { from: undefined, to: undefined },
  }
}

function atRoot(finding: Finding): Finding {
  if (finding.at.length > 0 || (finding.rule !== 'obj.closed' && finding.rule !== 'obj.opened')) return finding
  return { ...finding, rule: finding.rule === 'obj.closed' ? 'event.closed' : 'event.opened' }
}

/** What senders do not notice about the context is MINOR; what refuses their events is as severe as for properties. */
function inContext(finding: Finding, field: Field): Finding {
  if (field === 'properties' || finding.breaks.producers || finding.kind === 'PATCH') return finding
  if (finding.rule === 'privacy.pii-weakened') return finding // a leak is one wherever the value stands
  return { ...finding, rule: 'event.context-props', kind: 'MINOR' }
}

/** An alias call carries ids only: what its spec says about properties means nothing. */
function judgedByCall(finding: Finding, from: EventSpec, to: EventSpec, field: Field): Finding {
  const isPayload = field === 'properties' && [from, to].some(({ type = 'track' }) => payloadPart(type) !== undefined)
  if (isPayload || field === 'context_properties') return finding
  return { ...finding, rule: 'ann.no-effect', kind: 'PATCH', breaks: NO_BREAKS, acceptance: NO_BREAKS, shownBy: 'definition' }
}

function changeOf(finding: Finding, field: Field, search: WitnessSearch): Change {
  const { rule, kind, breaks, shownBy, at, describe, from, to } = finding
  const isRoot = rule === 'event.closed' || rule === 'event.opened'
  let proof: Proof | undefined
  const prove = (): Proof => (proof ??= search(finding))
  return {
    kind,
    field: isRoot ? 'additional_properties' : field,
    description: describe(subjectOf(field, at)),
    rule,
    path: isRoot ? '/additional_properties' : pointerOf(field, at),
    breaks: (['producers', 'consumers'] as const).filter((who) => breaks[who]),
    // Compiling both validators costs more than the whole comparison, so it waits until someone asks.
    get certainty() {
      if (shownBy === 'definition') return 'proven'
      return shownBy === 'event' && prove().isProven ? 'proven' : 'undecided'
    },
    from: from ?? null,
    to: to ?? null,
    get witness() {
      return shownBy === 'definition' ? null : prove().witness
    },
  }
}
