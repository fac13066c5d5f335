import { conflict, invalid, notFound } from '../error.ts'
import { change } from '../store/change.ts'
import type { Actor } from '../store/actor.ts'
import type { ChangeDeps } from '../store/change.ts'
import type { Executor } from '../store/db.ts'
import { deleteDestination, findDestination, insertDestination, updateDestination } from '../store/destinations.ts'
import type { Destination } from '../store/destinations.ts'
import { listSources, updateSource } from '../store/sources.ts'
import { assertName } from './names.ts'
import { auditView as sourceView } from './sources.ts'

export interface DestinationFields {
  name: string
  provider: string
  config: Record<string, unknown>
}

/** What the rules need to know of providers; `main.ts` hands in the registry of `destinations/`. */
export interface Providers {
  /** The provider of a name or alias. @throws SignalbookError `invalid_request` listing the names */
  named(name: string): { name: string; checkConfig(config: Record<string, unknown>): Record<string, unknown> }
  /** The settings with every secret replaced by the placeholder. */
  mask(provider: string, config: Record<string, unknown>): Record<string, unknown>
  /** The settings with each placeholder replaced by the stored secret. */
  unmask(provider: string, config: Record<string, unknown>, stored: Record<string, unknown>): Record<string, unknown>
}

export interface DestinationDeps extends ChangeDeps {
  providers: Providers
}

/** Registers a destination. @throws SignalbookError `conflict` when the name is taken, `invalid_request` for bad settings */
export async function createDestination(deps: DestinationDeps, actor: Actor, fields: DestinationFields): Promise<Destination> {
  assertName(fields.name, 'name')
  const provider = deps.providers.named(fields.provider)
  const config = provider.checkConfig(fields.config)
  return change(deps, actor, async ({ tx, at }) => {
    if (await findDestination(tx, fields.name)) {
      throw conflict(`a destination named "${fields.name}" exists already; change it with PUT /v1/admin/destinations/${fields.name}`)
    }
    await insertDestination(tx, {
      name: fields.name,
      provider: provider.name,
      config,
      generation: 1,
      pausedAt: undefined,
      pausedReason: undefined,
      createdAt: at,
      updatedAt: at,
    })
    const destination = await requireDestination(tx, fields.name)
    return { result: destination, facts: [{ action: 'created', entity: 'destination', entityId: fields.name, after: auditView(deps, destination) }] }
  })
}

/** Replaces a destination's provider and settings; a halted delivery tries again. @throws SignalbookError `not_found`, `invalid_request` */
export async function replaceDestination(deps: DestinationDeps, actor: Actor, name: string, fields: DestinationFields): Promise<Destination> {
  if (fields.name !== name) throw invalid(`name in the body is "${fields.name}" but the path says "${name}"; they must be equal, since a destination cannot be renamed`)
  const provider = deps.providers.named(fields.provider)
  return edit(deps, actor, name, 'updated', undefined, (before) => {
    const stored = before.provider === provider.name ? before.config : {}
    return { provider: provider.name, config: provider.checkConfig(deps.providers.unmask(provider.name, fields.config, stored)) }
  })
}

/** Holds a destination: its events wait in the log until it is resumed. @throws SignalbookError `not_found` */
export async function pauseDestination(deps: DestinationDeps, actor: Actor, name: string, reason: string | undefined): Promise<Destination> {
  return edit(deps, actor, name, 'paused', reason, (_before, at) => ({ pausedAt: at, pausedReason: reason ?? 'paused by an admin' }))
}

/** Lets a destination run again, whether an admin or a refused credential had stopped it. @throws SignalbookError `not_found` */
export async function resumeDestination(deps: DestinationDeps, actor: Actor, name: string): Promise<Destination> {
  return edit(deps, actor, name, 'resumed', undefined, () => ({ pausedAt: undefined, pausedReason: undefined }))
}

/**
 * Removes a destination with everything that still waits for it.
 * @param force also takes it out of the sources that name it
 * @throws SignalbookError `not_found`, or `conflict` naming the sources that use it
 */
export async function removeDestination(deps: DestinationDeps, actor: Actor, name: string, force: boolean): Promise<void> {
  await change(deps, actor, async ({ tx, at }) => {
    const before = await requireDestination(tx, name)
    const users = (await listSources(tx)).filter((source) => source.destinations.includes(name))
    if (users.length > 0 && !force) {
      throw conflict(`destination "${name}" is used by ${users.map((source) => `"${source.name}"`).join(', ')}; take it out of them first, or delete with ?force=true`)
    }
    const edits = users.map((source) => ({ before: source, after: { ...source, destinations: source.destinations.filter((used) => used !== name), updatedAt: at } }))
    for (const { after } of edits) await updateSource(tx, after)
    await deleteDestination(tx, name)
    return {
      result: undefined,
      facts: [
        { action: 'deleted', entity: 'destination', entityId: name, before: auditView(deps, before) },
        ...edits.map(({ before: source, after }) => ({
          action: 'updated',
          entity: 'source' as const,
          entityId: source.name,
          before: sourceView(source),
          after: sourceView(after),
          reason: `destination "${name}" was deleted`,
        })),
      ],
    }
  })
}

/** One destination, secrets included. @throws SignalbookError `not_found` */
export async function requireDestination(db: Executor, name: string): Promise<Destination> {
  const destination = await findDestination(db, name)
  if (!destination) throw notFound(`there is no destination named "${name}"; GET /v1/admin/destinations lists them`)
  return destination
}

async function edit(
  deps: DestinationDeps,
  actor: Actor,
  name: string,
  action: string,
  reason: string | undefined,
  next: (before: Destination, at: number) => Partial<Destination>,
): Promise<Destination> {
  return change(deps, actor, async ({ tx, at }) => {
    const before = await requireDestination(tx, name)
    const after = { ...before, ...next(before, at), generation: before.generation + 1, updatedAt: at }
    await updateDestination(tx, after)
    return {
      result: after,
      facts: [{ action, entity: 'destination', entityId: name, before: auditView(deps, before), after: auditView(deps, after), ...(reason === undefined ? {} : { reason }) }],
    }
  })
}

function auditView(deps: DestinationDeps, destination: Destination): Record<string, unknown> {
  return {
    name: destination.name,
    provider: destination.provider,
    config: deps.providers.mask(destination.provider, destination.config),
    paused_reason: destination.pausedReason ?? null,
  }
}
