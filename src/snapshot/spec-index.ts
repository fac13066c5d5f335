import type { CallType } from '../registry/event-spec.ts'
import { compareVersions, latestOf } from '../registry/version.ts'
import type { SpecHead } from '../store/event-specs.ts'

/** All versions of one event. */
export interface EventVersions {
  namespace: string
  name: string
  versions: Map<string, SpecHead>
}

/** What an event sent under a name can mean: one event, in its versions of the call's type. */
export interface Candidate {
  namespace: string
  name: string
  versions: ReadonlyMap<string, SpecHead>
  /** Highest active version, else highest deprecated, else the highest deleted one: sending that is a violation, not an unplanned event. */
  latest: SpecHead | undefined
}

/** Finds the events that a call can mean, without walking through all of them. */
export class SpecIndex {
  readonly #events: Map<string, EventVersions>
  #bySentName: Map<string, EventVersions[]> | undefined

  constructor(events: Map<string, EventVersions> = new Map()) {
    this.#events = events
  }

  /** This index with some versions added or replaced; the old one stays as it is, for requests that hold it. */
  with(changed: SpecHead[]): SpecIndex {
    const events = new Map(this.#events)
    const touched = new Map<string, SpecHead[]>()
    for (const head of changed) {
      const key = `${head.namespace}/${head.name}`
      touched.set(key, [...(touched.get(key) ?? []), head])
    }
    for (const [key, heads] of touched) {
      const versions = new Map(events.get(key)?.versions)
      for (const head of heads) versions.set(head.version, head)
      const [first] = heads as [SpecHead]
      events.set(key, { namespace: first.namespace, name: first.name, versions })
    }
    return new SpecIndex(events)
  }

  /** Every event, in no particular order. */
  all(): Iterable<EventVersions> {
    return this.#events.values()
  }

  /** Events whose `event_name`, `name` or `namespace/name` equals what was sent; for a call without a name, all of its type. */
  candidates(type: CallType, sentName: string | undefined): Candidate[] {
    this.#bySentName ??= this.#indexBySentName()
    return (this.#bySentName.get(sentKey(type, sentName)) ?? []).map((event) => candidateOf(event, type))
  }

  #indexBySentName(): Map<string, EventVersions[]> {
    const index = new Map<string, Set<EventVersions>>()
    for (const event of this.#events.values()) {
      for (const { type, name, namespace, eventName, status } of event.versions.values()) {
        if (status === 'draft') continue
        for (const sent of [undefined, name, eventName, `${namespace}/${name}`]) {
          const key = sentKey(type, sent)
          index.set(key, (index.get(key) ?? new Set()).add(event))
        }
      }
    }
    return new Map([...index].map(([key, events]) => [key, [...events]]))
  }
}

function candidateOf({ namespace, name, versions }: EventVersions, type: CallType): Candidate {
  const ofType = [...versions].filter(([, head]) => head.type === type && head.status !== 'draft')
  const heads = ofType.map(([, head]) => head)
  const deleted = heads.filter(({ status }) => status === 'deleted').sort((one, other) => compareVersions(other.version, one.version))
  return { namespace, name, versions: new Map(ofType), latest: latestOf(heads) ?? deleted[0] }
}

function sentKey(type: CallType, sentName: string | undefined): string {
  return sentName === undefined ? type : `${type}:${sentName}`
}
