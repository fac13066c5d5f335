import { createTestDatabase } from '../../test/support/database.ts'
import { spawnService } from '../../test/support/process.ts'
import type { Generator } from './generators/generator.ts'
import { makeJourney } from './journey.ts'
import { openWorkshop, placeOf } from './workshop.ts'

/** What became of one generator. */
export interface SdkTrial {
  name: string
  /** Empty when its SDK was made, compiled and did the journey. */
  faults: string[]
}

/** Makes an SDK from the published document with each generator, compiles all, and has each do the journey on a service of its own. */
export async function trySdks(generators: readonly Generator[]): Promise<SdkTrial[]> {
  const workshop = await openWorkshop(await onFreshService(async (url) => (await fetch(`${url}/v1/openapi.json`)).text()))
  try {
    const trials: SdkTrial[] = generators.map(({ name }) => ({ name, faults: [] }))
    const attempt = async (index: number, work: () => Promise<void>) => {
      try {
        await work()
      } catch (error) {
        trials[index]?.faults.push(error instanceof Error ? error.message : String(error))
      }
    }
    for (const [index, generator] of generators.entries()) await attempt(index, () => workshop.generate(generator))

    const complaints = await workshop.compile()
    for (const [index, { client }] of generators.entries()) trials[index]?.faults.push(...(complaints.get(placeOf(client)) ?? []))
    // A complaint about no SDK, such as one about a package, is one about all of them.
    const places = new Set(generators.map(({ client }) => placeOf(client)))
    const common = [...complaints].flatMap(([place, lines]) => (places.has(place) ? [] : lines))
    for (const trial of trials) trial.faults.push(...common)

    for (const [index, generator] of generators.entries()) {
      if (trials[index]?.faults.length !== 0) continue
      await attempt(index, async () => {
        const connect = await workshop.load(generator)
        await onFreshService((url) => makeJourney(connect(url)))
      })
    }
    return trials
  } finally {
    await workshop.remove()
  }
}

async function onFreshService<T>(use: (url: string) => Promise<T>): Promise<T> {
  const home = await createTestDatabase('sqlite')
  const service = await spawnService({ DATABASE_URL: home.url })
  try {
    return await use(service.url)
  } finally {
    await service.terminate()
    await home.remove()
  }
}
