import type { Change, EventSpec } from '../event-spec.ts'
import { compareEventLevel } from './event-level.ts'
import { compareField } from './field-changes.ts'
import { sortChanges } from './order.ts'
import { compareWithHistory } from './reused-names.ts'
import { compareUnnoticed } from './unnoticed.ts'

export interface DiffOptions {
  /** Earlier versions of the same event, for `prop.reused-name`; in any order. */
  history?: readonly EventSpec[]
  /** `false` leaves every change without a witness, and those that need one undecided; worth it only where all changes are stored or sent. */
  witness?: boolean
}

/**
 * Says exactly what changed between two versions of an event spec, how severe it is and whom it breaks; the rules stand in
 * `rules.ts`. A change's `certainty` and `witness` are worked out when they are first read (or serialised), with two compiled
 * validators: whoever looks at `kind` alone does not pay for them.
 * @returns every change, MAJOR first, then by path; empty for specs that mean the same
 */
export function diffSpecs(from: EventSpec, to: EventSpec, { history = [], witness = true }: DiffOptions = {}): Change[] {
  const inFields = [...compareField(from, to, 'properties', witness), ...compareField(from, to, 'context_properties', witness)]
  const ofDefinitions = inFields.length > 0 ? inFields : compareUnnoticed(from, to)
  return sortChanges([...compareEventLevel(from, to), ...ofDefinitions, ...compareWithHistory(from, to, history)])
}
