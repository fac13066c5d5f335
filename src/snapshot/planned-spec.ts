import type { Deprecation } from '../registry/deprecation.ts'
import type { EventSpec } from '../registry/event-spec.ts'
import type { Violation } from '../registry/compile.ts'

/** A deprecation as senders are told of it. */
export interface DeprecationNotice extends Deprecation {
  /** When the version was deprecated, or what its deprecation says was last changed; epoch milliseconds. */
  since: number
}

/** One version of an event spec, ready to judge events. */
export interface PlannedSpec {
  /** `namespace/name@MAJOR-MINOR-PATCH` */
  id: string
  status: EventSpec['status']
  /** Set while the version is deprecated. */
  deprecation: DeprecationNotice | undefined
  sampling: { strategy: 'user_id_hash' | 'random' | 'none'; rate: number }
  /** Overrides the setting `relay_validation` for this event: `strict` quarantines or blocks, `warn` only records. */
  validationMode: 'strict' | 'warn' | undefined
  /** @param payload `properties` of a track or page call, `traits` of an identify or group call */
  validate(payload: unknown, contextAttributes: unknown): Violation[]
}
