import { findingOf } from './claim.ts'
import type { Claim } from './claim.ts'
import { breaksAnyone, eitherBreaks, NO_BREAKS } from './finding.ts'
import type { Breaks, Definitions, Finding, Outcome } from './finding.ts'
import { jsonEqual } from './json-equal.ts'
import { unbreakable } from './listed-values.ts'
import { normaliser } from './normal-form.ts'
import type { Definition } from './definition.ts'
import type { Normaliser } from './normal-form.ts'
import { PairMap } from './pair-map.ts'
import type { Step } from './place.ts'
import type { RuleId } from './rules.ts'
import { hasReferences } from './schema-document.ts'
import type { SchemaDocument } from './schema-document.ts'

/** Two definitions of the same value, before and after, and what a family of rules may do with them. */
export interface Pair {
  from: Definition
  to: Definition
  sides: Sides
  report: (claim: Claim) => void
  /** Compares two definitions inside these two; says nothing about it yet. */
  compare: (from: unknown, to: unknown) => Outcome
  /** Compares and reports what is found, one step down. */
  descend: (step: Step, from: unknown, to: unknown) => Breaks
  /** As `descend`, under the name of the keyword's own rule where a change breaks someone. */
  descendAs: (rule: RuleId, step: Step, from: unknown, to: unknown) => Breaks
  /** As `descend`, where no event is judged by both: what is found does not count for the definitions around it. */
  descendAside: (step: Step, from: unknown, to: unknown, isWanted: (finding: Finding) => boolean) => void
  /** As `descend`, but reports only what breaks nobody: a rule of its own judges what the rest means from outside. */
  descendForNotes: (step: Step, from: unknown, to: unknown) => void
}

/** The normal forms of each side's definitions. */
export interface Sides {
  from: Normaliser
  to: Normaliser
}

/** A family of rules: reports each difference of one kind between two definitions. */
export type RuleFamily = (pair: Pair) => void

// What people publish needs some hundreds; combinators nested in combinators multiply. So many take about 60 ms.
const MAX_COMPARISONS = 8_000
// A definition that is named at very many places is reported at this many; only hostile specs come here.
const MAX_FINDINGS = 2_000

/**
 * Compares definitions inside two documents. A pair that is met again inside itself (a recursive `$ref`) counts as what the
 * last round found out about it, and rounds are repeated until nothing new comes out: to call it equal at once would hide real
 * breaks from `not` and from combinators.
 */
export function compareDocuments(documents: { from: SchemaDocument; to: SchemaDocument }, families: readonly RuleFamily[]): Outcome & { sides: Sides } {
  const sides: Sides = { from: normaliser(documents.from), to: normaliser(documents.to) }
  const assumed = new PairMap<Breaks>()
  const isSelfContained = !hasReferences(documents.from) && !hasReferences(documents.to)
  for (;;) {
    const round = compareRound({ sides, families, assumed, isSelfContained })
    const outcome = round.compare(documents.from.root, documents.to.root)
    if (!round.learned() || round.hasGivenUp()) return { ...outcome, sides }
  }
}

const SAME: Outcome = { findings: [], breaks: NO_BREAKS }
const GIVEN_UP: Outcome = { findings: [], breaks: { producers: true, consumers: true } }

interface RoundInput {
  sides: Sides
  families: readonly RuleFamily[]
  assumed: PairMap<Breaks>
  /** Whether definitions that are written alike mean the same, as they do without references. */
  isSelfContained: boolean
}

function compareRound({ sides, families, assumed, isSelfContained }: RoundInput): { compare: (from: unknown, to: unknown) => Outcome; learned: () => boolean; hasGivenUp: () => boolean } {
  const known = new PairMap<Outcome | 'open'>()
  let comparisons = 0
  const recursive = new PairMap<true>()
  let hasLearned = false
  return { compare, learned: () => hasLearned, hasGivenUp: () => comparisons > MAX_COMPARISONS }

  function compare(writtenFrom: unknown, writtenTo: unknown): Outcome {
    const from = sides.from.target(writtenFrom)
    const to = sides.to.target(writtenTo)
    const before = known.get(from, to)
    if (before === 'open') {
      recursive.set(from, to, true)
      return { findings: [], breaks: assumed.get(from, to) ?? NO_BREAKS }
    }
    if (before) return before
    if (isSelfContained && jsonEqual(from, to)) return SAME
    if (comparisons++ > MAX_COMPARISONS) return GIVEN_UP
    known.set(from, to, 'open')
    const outcome = runFamilies(from, to)
    known.set(from, to, outcome)
    if (recursive.get(from, to)) learn(from, to, outcome.breaks)
    return outcome
  }

  function learn(from: unknown, to: unknown, breaks: Breaks): void {
    const before = assumed.get(from, to) ?? NO_BREAKS
    const now = eitherBreaks(before, breaks)
    if (now.producers === before.producers && now.consumers === before.consumers) return
    assumed.set(from, to, now)
    hasLearned = true
  }

  function runFamilies(from: unknown, to: unknown): Outcome {
    const findings: Finding[] = []
    let breaks = NO_BREAKS
    const definitions = { from: sides.from.normalise(from), to: sides.to.normalise(to) }
    const safe = unbreakable(definitions.from, definitions.to)
    const pair: Pair = {
      ...definitions,
      sides,
      compare,
      report: (claim) => {
        const finding = findingOf(claim, { from, to }, safe)
        findings.push(finding)
        breaks = eitherBreaks(breaks, finding.acceptance)
      },
      descend: (step, innerFrom, innerTo) => include(step, { from: innerFrom, to: innerTo }, (finding) => finding),
      descendAs: (rule, step, innerFrom, innerTo) => include(step, { from: innerFrom, to: innerTo }, (finding) => (breaksAnyone(finding.acceptance) ? { ...finding, rule } : finding)),
      descendAside: (step, innerFrom, innerTo, isWanted) => {
        const before = breaks
        include(step, { from: innerFrom, to: innerTo }, (finding) => (isWanted(finding) ? finding : undefined))
        breaks = before
      },
      descendForNotes: (step, innerFrom, innerTo) => {
        const before = breaks
        include(step, { from: innerFrom, to: innerTo }, (finding) => (breaksAnyone(finding.acceptance) ? undefined : finding))
        breaks = before
      },
    }
    for (const family of families) family(pair)
    return { findings, breaks: { producers: breaks.producers && !safe.producers, consumers: breaks.consumers && !safe.consumers } }

    function include(step: Step, inner: Definitions, adapt: (finding: Finding) => Finding | undefined): Breaks {
      const outcome = compare(inner.from, inner.to)
      for (const found of outcome.findings) {
        const finding = adapt(found)
        if (finding && findings.length < MAX_FINDINGS) findings.push({ ...finding, at: [step, ...finding.at], trail: [inner, ...finding.trail] })
      }
      breaks = eitherBreaks(breaks, outcome.breaks)
      return outcome.breaks
    }
  }
}
