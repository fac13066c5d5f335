import { readSettings } from '../../../src/settings.ts'
import type { Settings } from '../../../src/settings.ts'
import type { Snapshot, SnapshotHolder, SpecQuery, SpecResolution } from '../../../src/snapshot/snapshot.ts'
import type { Destination } from '../../../src/store/destinations.ts'
import type { Source } from '../../../src/store/sources.ts'

/** What a test's registry holds; change it freely, the next snapshot shows it. */
export interface TestRegistry {
  settings: Settings
  sources: Source[]
  destinations: Destination[]
  resolve: (query: SpecQuery) => SpecResolution
}

export function testRegistry(given: Partial<TestRegistry> = {}): TestRegistry & { holder: SnapshotHolder; snapshot: () => Snapshot } {
  const registry: TestRegistry = { settings: readSettings(new Map()), sources: [], destinations: [], resolve: () => ({ kind: 'unplanned' }), ...given }
  const snapshot = (): Snapshot => {
    const { settings, sources, destinations, resolve } = { ...registry, sources: [...registry.sources], destinations: [...registry.destinations] }
    return {
      revision: 1,
      settings,
      awaitsFirstKey: false,
      keyByHash: () => undefined,
      source: (name) => sources.find((source) => source.name === name),
      sources: () => sources,
      destination: (name) => destinations.find((destination) => destination.name === name),
      destinations: () => destinations,
      resolveSpec: async (_source, query) => resolve(query),
    }
  }
  return Object.assign(registry, { snapshot, holder: { current: async () => snapshot() } })
}

export function testSource(name: string, destinations: string[]): Source {
  return { id: 1, name, platform: '', language: '', events: [], destinations, versionPinning: {}, createdAt: 1, updatedAt: 1 }
}

export function testDestination(id: number, name: string, config: Record<string, unknown>, provider = 'http'): Destination {
  return { id, name, provider, config, generation: 1, pausedAt: undefined, pausedReason: undefined, createdAt: 1, updatedAt: 1 }
}
