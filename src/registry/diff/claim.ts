import type { ChangeKind } from '../event-spec.ts'
import { breaksAnyone, kindOf, NO_BREAKS } from './finding.ts'
import type { Breaks, Definitions, Finding, ShownBy } from './finding.ts'
import { rules } from './rules.ts'
import type { RuleId } from './rules.ts'

/** What a family of rules found out about the pair before it. */
export interface Claim {
  rule: RuleId
  breaks?: Partial<Breaks>
  /** The part of `breaks` that is about acceptance, where consumers lose more than that: a column that nobody lists any longer. */
  acceptance?: Partial<Breaks>
  /** Where severity does not follow from whom it breaks. */
  kind?: ChangeKind
  shownBy?: ShownBy
  /** The rest of a sentence that begins with the place's name, or the whole sentence. */
  says: string | ((subject: string) => string)
  from?: unknown
  to?: unknown
  /** The property that the claim is about, when it is not about the pair's own value. */
  property?: { name: string; from: unknown; to: unknown }
}

/** Makes a finding of what was claimed about two definitions, less what no event can show because of the values that they list. */
export function findingOf(claim: Claim, pair: Definitions, safe: Breaks): Finding {
  const { rule, says, from, to, property } = claim
  const { breaks, acceptance, shownBy } = weigh(claim, safe)
  const kind = breaksAnyone(breaks) ? (claim.kind ?? kindOf(breaks)) : breaksAnyone({ ...NO_BREAKS, ...claim.breaks }) ? 'PATCH' : (claim.kind ?? 'PATCH')
  // A constraint that breaks nobody is one that the rest of the definition implies.
  const isIdle = !rules[rule].kind.includes(kind)
  const describe = typeof says === 'string' ? (subject: string) => `${subject} ${says}` : says
  return {
    rule: isIdle ? 'ann.no-effect' : rule,
    kind,
    breaks,
    acceptance,
    shownBy,
    at: property ? [{ to: 'property', name: property.name }] : [],
    trail: property ? [property] : [],
    describe: isIdle ? (subject) => `${describe(subject)}, without effect on its values` : describe,
    from,
    to,
    definitions: property ?? pair,
  }
}

function weigh({ breaks: claimed, acceptance: accepted, shownBy, property }: Claim, safe: Breaks): Pick<Finding, 'breaks' | 'acceptance' | 'shownBy'> {
  const whole: Breaks = { ...NO_BREAKS, ...claimed }
  const isAboutValue = property === undefined && shownBy !== 'definition'
  const breaks = isAboutValue ? { producers: whole.producers && !safe.producers, consumers: whole.consumers && !safe.consumers } : whole
  const acceptance = shownBy === 'definition' ? NO_BREAKS : accepted === undefined ? breaks : { ...NO_BREAKS, ...accepted }
  return { breaks, acceptance, shownBy: shownBy ?? (breaksAnyone(acceptance) ? 'event' : 'definition') }
}
