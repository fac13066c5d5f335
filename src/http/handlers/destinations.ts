import {
  createDestination,
  pauseDestination,
  removeDestination,
  replaceDestination,
  requireDestination,
  resumeDestination,
} from '../../admin/destinations.ts'
import type { DestinationDeps } from '../../admin/destinations.ts'
import type { components } from '../../contract/types.ts'
import { listDestinations } from '../../store/destinations.ts'
import type { Destination } from '../../store/destinations.ts'
import { formatTime } from '../../time.ts'
import type { HandlersOf } from '../operation.ts'
import { linkToNext, pageOf } from '../paging.ts'

type DestinationOperations =
  | 'listDestinations'
  | 'createDestination'
  | 'getDestination'
  | 'replaceDestination'
  | 'deleteDestination'
  | 'pauseDestination'
  | 'resumeDestination'

export interface DestinationHandlerDeps extends DestinationDeps {
  /** Why deliveries to a destination halted by themselves, such as a refused credential. */
  haltReasons: () => Promise<ReadonlyMap<number, string>>
  /** Has deliveries act on a change of destinations before its answer is given. */
  applyDestinations: () => Promise<void>
}

/** Destinations: where events go. Secrets are never part of an answer. */
export function destinationHandlers(deps: DestinationHandlerDeps): HandlersOf<DestinationOperations> {
  const toWire = async (destination: Destination) => describe(deps, destination, await deps.haltReasons())
  const applied = async <T>(change: Promise<T>): Promise<T> => {
    const result = await change
    await deps.applyDestinations()
    return result
  }
  return {
    async listDestinations({ query, request }) {
      const page = pageOf(await listDestinations(deps.db.knex), query, (destination) => [destination.name])
      const halts = await deps.haltReasons()
      return { status: 200, headers: linkToNext(request.url, page.next), body: page.items.map((destination) => describe(deps, destination, halts)) }
    },

    async createDestination({ body, actor }) {
      const destination = await applied(createDestination(deps, actor, { name: body.name, provider: body.provider, config: body.config ?? {} }))
      return { status: 201, headers: { Location: `/v1/admin/destinations/${destination.name}` }, body: await toWire(destination) }
    },

    async getDestination({ path }) {
      return { status: 200, body: await toWire(await requireDestination(deps.db.knex, path.name)) }
    },

    async replaceDestination({ path, body, actor }) {
      const fields = { name: body.name, provider: body.provider, config: body.config ?? {} }
      return { status: 200, body: await toWire(await applied(replaceDestination(deps, actor, path.name, fields))) }
    },

    async deleteDestination({ path, query, actor }) {
      await applied(removeDestination(deps, actor, path.name, query.force === true))
      return { status: 204 }
    },

    async pauseDestination({ path, body, actor }) {
      return { status: 200, body: await toWire(await applied(pauseDestination(deps, actor, path.name, body?.reason ?? undefined))) }
    },

    async resumeDestination({ path, actor }) {
      return { status: 200, body: await toWire(await applied(resumeDestination(deps, actor, path.name))) }
    },
  }
}

function describe(deps: DestinationHandlerDeps, destination: Destination, halts: ReadonlyMap<number, string>): components['schemas']['Destination'] {
  const reason = destination.pausedAt === undefined ? halts.get(destination.id) : (destination.pausedReason ?? 'paused by an admin')
  return {
    name: destination.name,
    provider: destination.provider,
    config: deps.providers.mask(destination.provider, destination.config),
    state: reason === undefined ? 'running' : 'paused',
    paused_reason: reason ?? null,
    created_at: formatTime(destination.createdAt),
    updated_at: formatTime(destination.updatedAt),
  }
}
