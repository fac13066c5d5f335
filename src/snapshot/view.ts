import { compileGlobs } from '../registry/glob.ts'
import type { Source } from '../store/sources.ts'
import type { Content } from './content.ts'
import type { Snapshot, SpecQuery, SpecResolution } from './snapshot.ts'
import type { SpecCompiler } from './spec-compiler.ts'
import type { Candidate } from './spec-index.ts'

/** Makes the snapshot of one revision; what it derives (globs, resolutions) lives as long as it. */
export function viewOf(content: Content, compiler: SpecCompiler): Snapshot {
  const sources = new Map(content.sources.map((source) => [source.name, source]))
  const destinations = new Map(content.destinations.map((destination) => [destination.name, destination]))
  const allows = new Map<string, (namespace: string, name: string) => boolean>()
  const chosen = new Map<string, Candidate[]>()

  // Matching a thousand patterns costs 60 µs: once per source and event name, not once per event.
  const candidates = (source: Source, query: SpecQuery): Candidate[] => {
    const key = `${source.name}\n${query.type}\n${query.name ?? ''}`
    const known = chosen.get(key)
    if (known) return known
    const allowed = allows.get(source.name) ?? compileGlobs(source.events)
    allows.set(source.name, allowed)
    const found = content.specs.candidates(query.type, query.name).filter((event) => allowed(event.namespace, event.name))
    // Senders choose the names: an endless stream of new ones must not fill the memory.
    if (found.length > 0) chosen.set(key, found)
    return found
  }

  return {
    revision: content.revision.value,
    settings: content.settings,
    awaitsFirstKey: !content.anyKey,
    keyByHash: (hash) => content.keys.get(hash),
    source: (name) => sources.get(name),
    sources: () => content.sources,
    destination: (name) => destinations.get(name),
    destinations: () => content.destinations,
    async resolveSpec(source, query): Promise<SpecResolution> {
      const found = candidates(source, query)
      const [event] = found
      if (!event) return { kind: 'unplanned' }
      // Calls without a name give no means to choose; refusing them all because a second spec was published would be worse than not judging them.
      if (found.length > 1 && query.name === undefined) return { kind: 'unplanned' }
      if (found.length > 1) return { kind: 'ambiguous', candidates: found.map(({ namespace, name }) => `${namespace}/${name}`).sort() }
      const candidate = `${event.namespace}/${event.name}`
      const wanted = query.version ?? source.versionPinning[candidate]
      const head = wanted === undefined ? event.latest : event.versions.get(wanted)
      if (!head) return wanted === undefined ? { kind: 'unplanned' } : { kind: 'unknown_version', candidate, version: wanted }
      return { kind: 'planned', spec: await compiler.compiled(head) }
    },
  }
}
