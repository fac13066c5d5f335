import { invalid } from '../error.ts'
import { readTime } from '../time.ts'
import type { EventSpec, EventStatus } from './event-spec.ts'
import { isVersion } from './version.ts'

/** What a deprecation can tell those who still send or pull the version. */
export interface Deprecation {
  /** YYYY-MM-DD: the day after which the version may be deleted. */
  sunset?: string | undefined
  /** `namespace/name` or `namespace/name@version`: what to send instead. */
  replacedBy?: string | undefined
}

const REFERENCE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\/[A-Za-z0-9][A-Za-z0-9._-]{0,99}(?:@(.+))?$/

/** Whether a text is a real day, as YYYY-MM-DD. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && readTime(`${text}T00:00:00Z`) !== undefined
}

/** Whether a text names an event, or one version of it. */
export function isEventReference(text: string): boolean {
  const match = REFERENCE.exec(text)
  return match !== null && (match[1] === undefined || isVersion(match[1]))
}

/** @throws SignalbookError `invalid_request` for a day that is none, a reference that names no event, or a status that has neither */
export function assertDeprecation({ sunset, replacedBy }: Deprecation, status: EventStatus): void {
  if (sunset === undefined && replacedBy === undefined) return
  if (status !== 'deprecated') throw invalid('sunset and replaced_by belong to the status "deprecated"; send that status with them, or leave them out')
  if (sunset !== undefined && !isDay(sunset)) throw invalid(`sunset must be a day such as "2027-03-31"; got "${sunset.slice(0, 40)}"`)
  if (replacedBy !== undefined && !isEventReference(replacedBy)) {
    throw invalid(`replaced_by must be namespace/name or namespace/name@version of what to send instead; got "${replacedBy.slice(0, 80)}"`)
  }
}

/** The spec in another status: a deprecation brings its facts along, and every other status leaves them behind. */
export function withStatus(spec: EventSpec, status: EventStatus, { sunset, replacedBy }: Deprecation = {}): EventSpec {
  const { sunset: _sunset, replaced_by: _replacedBy, ...rest } = spec
  return {
    ...rest,
    status,
    ...(sunset === undefined ? {} : { sunset }),
    ...(replacedBy === undefined ? {} : { replaced_by: replacedBy }),
  }
}

/** What the document itself says of its deprecation. */
export function deprecationOf(spec: Record<string, unknown>): Deprecation {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  return { sunset: text(spec['sunset']), replacedBy: text(spec['replaced_by']) }
}
