import type { ChangeKind } from '../event-spec.ts'
import type { Step } from './place.ts'
import type { RuleId } from './rules.ts'

/**
 * Whom a difference breaks. `producers`: an event that was accepted is refused. `consumers`: an event comes through that was
 * refused before, or something that was promised is gone.
 */
export interface Breaks {
  producers: boolean
  consumers: boolean
}

export const NO_BREAKS: Breaks = { producers: false, consumers: false }

/** How sure a finding can be. `event`: by an event that shows it; `definition`: it needs none; `undecided`: no event can settle it. */
export type ShownBy = 'event' | 'definition' | 'undecided'

/** What each side says about one place. */
export interface Definitions {
  from: unknown
  to: unknown
}

/** One difference between two definitions. */
export interface Finding {
  rule: RuleId
  kind: ChangeKind
  breaks: Breaks
  /** The part of `breaks` that is about which events are accepted, and that an event can show. */
  acceptance: Breaks
  shownBy: ShownBy
  /** From the definitions compared down to the one that differs. */
  at: readonly Step[]
  /** Writes the sentence, given the name of the place. */
  describe: (subject: string) => string
  from: unknown
  to: unknown
  /** The definitions of the place as published; `undefined` where a side has none. */
  definitions: Definitions
  /** The same for each step of `at`. */
  trail: readonly Definitions[]
}

/**
 * What a comparison came to. `breaks` is about acceptance alone, and may say more than the findings: a recursive definition is
 * reported once.
 */
export interface Outcome {
  findings: readonly Finding[]
  breaks: Breaks
}

export function breaksAnyone(breaks: Breaks): boolean {
  return breaks.producers || breaks.consumers
}

/** Both, as when a value must keep to two definitions. */
export function eitherBreaks(one: Breaks, other: Breaks): Breaks {
  return { producers: one.producers || other.producers, consumers: one.consumers || other.consumers }
}

/** As seen where the definition excludes values (`not`): what it refused more often is accepted more often. */
export function reversed(breaks: Breaks): Breaks {
  return { producers: breaks.consumers, consumers: breaks.producers }
}

/** The severity that follows from whom a change breaks: events refused are worse than events not expected. */
export function kindOf(breaks: Breaks): ChangeKind {
  if (breaks.producers) return 'MAJOR'
  return breaks.consumers ? 'MINOR' : 'PATCH'
}
