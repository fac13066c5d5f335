import type { Change, ChangeKind, EventSpec } from '../event-spec.ts'
import { pointerStep } from '../../plain-json.ts'
import { jsonEqual } from './json-equal.ts'
import { own } from './own.ts'
import type { RuleId } from './rules.ts'
import { show } from './show.ts'

// Names and version tell which spec it is; the rest is written by the service.
const IDENTITY: ReadonlySet<string> = new Set(['namespace', 'name', 'version', 'published_at', 'published_by', 'updated_at'])
// Compared on their own.
const DEFINITIONS: ReadonlySet<string> = new Set(['properties', 'context_properties', 'additional_properties', '$defs'])
const JUDGED: ReadonlySet<string> = new Set(['event_name', 'type', 'status', 'sampling', 'hooks'])

const DESCRIBED: Readonly<Record<string, RuleId>> = {
  description: 'ann.description',
  display_name: 'ann.title',
  changelog: 'event.changelog',
  destinations: 'event.destinations',
  priority: 'event.priority',
  property_priority: 'event.priority',
  provider_overrides: 'event.provider-overrides',
}

/** Rules `event.*` that are not about definitions. */
export function compareEventLevel(from: EventSpec, to: EventSpec): Change[] {
  return [...compareIdentity(from, to), ...compareStatus(from, to), ...compareHooks(from, to), ...compareDescribed(from, to)]
}

function compareIdentity(from: EventSpec, to: EventSpec): Change[] {
  const changes: Change[] = []
  const names = { from: from.event_name ?? from.name, to: to.event_name ?? to.name }
  if (names.from !== names.to) {
    changes.push(change({ rule: 'event.name-changed', kind: 'MAJOR', field: 'event_name', breaks: ['producers', 'consumers'], description: `event_name changed from ${show(names.from)} to ${show(names.to)}`, ...names }))
  }
  const types = { from: from.type ?? 'track', to: to.type ?? 'track' }
  if (types.from !== types.to) {
    changes.push(change({ rule: 'event.call-type-changed', kind: 'MAJOR', field: 'type', breaks: ['producers', 'consumers'], description: `type changed from ${types.from} to ${types.to}`, ...types }))
  }
  return changes
}

function compareStatus(from: EventSpec, to: EventSpec): Change[] {
  const statuses = { from: from.status ?? 'active', to: to.status ?? 'active' }
  if (statuses.from === statuses.to) return []
  const description = `status changed from ${statuses.from} to ${statuses.to}`
  if (statuses.to === 'deleted') {
    return [change({ rule: 'event.status-deleted', kind: 'MAJOR', field: 'status', breaks: ['producers', 'consumers'], description, ...statuses })]
  }
  return [change({ rule: 'event.status-changed', kind: 'MINOR', field: 'status', description, ...statuses })]
}

/** `hooks.sampling` is `sampling` written elsewhere. */
function compareHooks(from: EventSpec, to: EventSpec): Change[] {
  const changes: Change[] = []
  const sampling = { from: from.sampling ?? from.hooks?.sampling, to: to.sampling ?? to.hooks?.sampling }
  if (!jsonEqual(sampling.from, sampling.to)) {
    const field = from.sampling === undefined && to.sampling === undefined ? 'hooks' : 'sampling'
    const path = field === 'hooks' ? '/hooks/sampling' : '/sampling'
    changes.push(change({ rule: 'event.sampling', kind: 'MINOR', field, path, breaks: ['consumers'], description: sayChange('sampling', sampling.from, sampling.to), ...sampling }))
  }
  const modes = { from: from.hooks?.validation?.mode, to: to.hooks?.validation?.mode }
  if (modes.from !== modes.to) {
    changes.push(change({ rule: 'event.validation-mode', kind: 'MINOR', field: 'hooks', path: '/hooks/validation/mode', description: sayChange('validation mode', modes.from, modes.to), ...modes }))
  }
  const rest = { from: otherHooks(from), to: otherHooks(to) }
  if (!jsonEqual(rest.from, rest.to)) changes.push(change({ rule: 'event.metadata', kind: 'PATCH', field: 'hooks', description: 'hooks changed', ...rest }))
  return changes
}

function otherHooks({ hooks }: EventSpec): unknown {
  const { sampling: _sampling, validation, ...rest } = hooks ?? {}
  const { mode: _mode, ...otherValidation } = validation ?? {}
  return { ...rest, ...(Object.keys(otherValidation).length > 0 ? { validation: otherValidation } : {}) }
}

function compareDescribed(from: EventSpec, to: EventSpec): Change[] {
  const fields = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((field) => !IDENTITY.has(field) && !DEFINITIONS.has(field) && !JUDGED.has(field))
  return fields
    .filter((field) => !jsonEqual(own(from, field), own(to, field)))
    .map((field) => {
      const rule = own(DESCRIBED, field) ?? 'event.metadata'
      const before = own(from, field)
      const after = own(to, field)
      const isMinor = rule === 'event.provider-overrides'
      const word = field === 'description' ? 'changed' : before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
      return change({ rule, kind: isMinor ? 'MINOR' : 'PATCH', field, breaks: isMinor ? ['consumers'] : [], description: `${field} ${word}`, from: before, to: after })
    })
}

interface EventChange {
  rule: RuleId
  kind: ChangeKind
  field: string
  path?: string
  breaks?: Change['breaks']
  description: string
  from: unknown
  to: unknown
}

/** True by definition: no payload could show it, and none is needed. */
function change({ rule, kind, field, path, breaks, description, from, to }: EventChange): Change {
  return { kind, field, description, rule, path: path ?? pointerStep(field), breaks: breaks ?? [], certainty: 'proven', from: from ?? null, to: to ?? null, witness: null }
}

function sayChange(name: string, from: unknown, to: unknown): string {
  const say = (value: unknown): string => (typeof value === 'string' ? value : show(value))
  if (from === undefined) return `${name} ${say(to)} added`
  if (to === undefined) return `${name} ${say(from)} removed`
  return `${name} changed from ${say(from)} to ${say(to)}`
}
