import type { Change, EventSpec } from '../event-spec.ts'
import { compareVersions, isVersion } from '../version.ts'
import { normaliser } from './normal-form.ts'
import { own } from './own.ts'
import { pointerOf, subjectOf } from './place.ts'
import type { Field } from './place.ts'
import { schemaDocument } from './schema-document.ts'
import { NO_TYPE, NULL, typeNames } from './type-set.ts'
import type { TypeSet } from './type-set.ts'

/**
 * Rule `prop.reused-name`: a property that `to` adds had another type in an earlier version that gave it up. Both end up in the
 * same column.
 */
export function compareWithHistory(from: EventSpec, to: EventSpec, history: readonly EventSpec[]): Change[] {
  return (['properties', 'context_properties'] as const).flatMap((field) => {
    const names = Object.keys(to[field] ?? {}).filter((name) => !Object.hasOwn(from[field] ?? {}, name))
    return names.flatMap((name) => reuseOf({ field, name, to, history }))
  })
}

function reuseOf({ field, name, to, history }: { field: Field; name: string; to: EventSpec; history: readonly EventSpec[] }): Change[] {
  const earlier = latestWith(history, field, name)
  if (earlier === undefined) return []
  const types = { from: typesOf(earlier, field, name), to: typesOf(to, field, name) }
  if ((types.from & ~NULL) === (types.to & ~NULL) || types.from === NO_TYPE) return []
  const at = [{ to: 'property', name } as const]
  return [
    {
      kind: 'MAJOR',
      field,
      description: `${subjectOf(field, at)} had type ${typeNames(types.from)} in ${earlier.version} and comes back with type ${typeNames(types.to)}`,
      rule: 'prop.reused-name',
      path: pointerOf(field, at),
      breaks: ['consumers'],
      certainty: 'proven',
      from: own(earlier[field] ?? {}, name) ?? null,
      to: own(to[field] ?? {}, name) ?? null,
      witness: null,
    },
  ]
}

function latestWith(history: readonly EventSpec[], field: Field, name: string): EventSpec | undefined {
  const holders = history.filter((spec) => Object.hasOwn(spec[field] ?? {}, name) && isVersion(spec.version))
  return holders.toSorted((one, other) => compareVersions(other.version, one.version))[0]
}

function typesOf(spec: EventSpec, field: Field, name: string): TypeSet {
  return normaliser(schemaDocument(spec, field)).normalise(own(spec[field] ?? {}, name)).possible
}
