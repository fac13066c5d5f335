import type { EventSpec } from '../registry/event-spec.ts'
import type { Violation } from '../registry/compile.ts'

/** One version of an event spec, ready to judge events. */
export interface PlannedSpec {
  /** `namespace/name@MAJOR-MINOR-PATCH` */
  id: string
  status: EventSpec['status']
  sampling: { strategy: 'user_id_hash' | 'random' | 'none'; rate: number }
  /** Overrides the setting `relay_validation` for this event: `strict` quarantines or blocks, `warn` only records. */
  validationMode: 'strict' | 'warn' | undefined
  /** @param payload `properties` of a track or page call, `traits` of an identify or group call */
  validate(payload: unknown, contextAttributes: unknown): Violation[]
}
