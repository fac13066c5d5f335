/** What a version of an event spec can be; `draft` is not in force and may be overwritten. */
export type EventStatus = 'draft' | 'active' | 'deprecated' | 'deleted'

/** The relay call that sends the event. */
export type CallType = 'track' | 'identify' | 'group' | 'page' | 'alias'

/** A JSON Schema 2020-12 schema in which `required: true` marks the property itself as required, at every depth. */
export type PropertyDefinition = Record<string, unknown>

/**
 * An event spec as published: the document itself, in wire spelling, defaults filled in (`status`, `type`, `event_name`).
 * Keys that the service does not know are kept as they are.
 */
export interface EventSpec {
  namespace: string
  name: string
  /** MAJOR-MINOR-PATCH */
  version: string
  status: EventStatus
  type: CallType
  event_name: string
  display_name?: string
  description?: string
  owner?: string
  tags?: string[]
  changelog?: unknown
  properties?: Record<string, PropertyDefinition>
  additional_properties?: boolean
  context_properties?: Record<string, PropertyDefinition>
  sampling?: { strategy?: 'user_id_hash' | 'random' | 'none'; rate?: number }
  hooks?: { validation?: { mode?: 'strict' | 'warn' }; sampling?: { strategy?: 'user_id_hash' | 'random' | 'none'; rate?: number } }
  examples?: { valid?: unknown[]; invalid?: unknown[] }
  [key: string]: unknown
}

/** A spec whose version may have been left to the server. */
export type UnversionedSpec = { [K in keyof EventSpec as K extends 'version' ? never : K]: EventSpec[K] } & { version?: string }

export type ChangeKind = 'MAJOR' | 'MINOR' | 'PATCH'

/** One item of a diff, in wire spelling; `design` of the rules: see README "Where to look". */
export interface Change {
  kind: ChangeKind
  /** Top-level part of the spec, such as `properties`, `status` or `description`. */
  field: string
  description: string
  /** Rule id, such as `prop.became-required`. */
  rule: string
  /** JSON pointer into the spec. */
  path: string
  breaks: ('producers' | 'consumers')[]
  certainty: 'proven' | 'undecided'
  from: unknown
  to: unknown
  /** An event that one version accepts and the other refuses, checked by running both; `null` when there is none. */
  witness: Record<string, unknown> | null
}
