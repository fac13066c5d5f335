import { conflict } from '../error.ts'
import type { SpecChangeDeps } from './announcement.ts'
import { diffSpecs } from './diff/diff.ts'
import type { EventSpec, UnversionedSpec } from './event-spec.ts'
import { decideVersion } from './version-rule.ts'
import type { VersionDecision } from './version-rule.ts'

/**
 * The version that a spec gets or keeps under the setting `version_policy`.
 * @throws SignalbookError `conflict` with `suggested_version` and the changes that make the step too small
 */
export function requireVersion(deps: SpecChangeDeps, candidate: UnversionedSpec, existing: readonly EventSpec[]): VersionDecision {
  const decision = decideVersion({ candidate, existing, policy: deps.versionPolicy, diff: diffSpecs })
  if (!decision.conflict) return decision
  const { message, suggestedVersion, changes } = decision.conflict
  throw conflict(message, { suggested_version: suggestedVersion, changes })
}
