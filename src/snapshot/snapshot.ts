import type { CallType } from '../registry/event-spec.ts'
import type { Settings } from '../settings.ts'
import type { ApiKey } from '../store/api-keys.ts'
import type { Destination } from '../store/destinations.ts'
import type { Source } from '../store/sources.ts'
import type { PlannedSpec } from './planned-spec.ts'

/** Which spec governs an event. */
export type SpecResolution =
  | { kind: 'planned'; spec: PlannedSpec }
  | { kind: 'unplanned' }
  /** Several namespaces of the source hold an event of that name; `candidates` are `namespace/name`. */
  | { kind: 'ambiguous'; candidates: string[] }
  /** The event names a version that was never published. */
  | { kind: 'unknown_version'; candidate: string; version: string }

/** The call whose spec is looked for. */
export interface SpecQuery {
  type: CallType
  /** The `event_name` of a track call, the `name` of a page; the other types are looked up by their type alone. */
  name: string | undefined
  /** `event_version` of the call. */
  version: string | undefined
}

/** The registry as every request sees it: one consistent picture at one revision, read without a query. */
export interface Snapshot {
  readonly revision: number
  readonly settings: Settings
  /** True while no key was ever created. */
  readonly awaitsFirstKey: boolean
  keyByHash(hash: string): ApiKey | undefined
  source(name: string): Source | undefined
  sources(): readonly Source[]
  destination(name: string): Destination | undefined
  destinations(): readonly Destination[]
  /** Finds the spec of an event and compiles it at its first use; later calls answer from memory. */
  resolveSpec(source: Source, query: SpecQuery): Promise<SpecResolution>
}

/** Hands out the snapshot that is in force when the request arrives. */
export interface SnapshotHolder {
  /** Every change that was committed before this call is in what it answers. */
  current(): Promise<Snapshot>
}
