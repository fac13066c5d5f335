import type { RequestHandler, Response } from 'express'
import { hashKey, isWellFormedKey } from '../admin/key-format.ts'
import { keyStatus } from '../admin/keys.ts'
import type { Operation, RequiredRole } from '../contract/operations.ts'
import { SignalbookError } from '../error.ts'
import type { Snapshot, SnapshotHolder } from '../snapshot/snapshot.ts'
import type { ApiKey } from '../store/api-keys.ts'
import type { Actor } from '../store/actor.ts'
import { contextOf } from './context.ts'
import type { RequestLimits } from './request-limits.ts'

const LEVEL: Record<RequiredRole, number> = { none: 0, viewer: 1, publisher: 2, admin: 3 }

export interface AuthDeps {
  snapshots: SnapshotHolder
  now: () => number
  /** Lets a request through that proves itself by something else than a key. */
  holdsToken: (operation: Operation, authorization: string | undefined) => boolean
  /** Told of every accepted key, so that its last use can be shown. */
  noteUse: (keyId: number, at: number) => void
  limits: RequestLimits
}

/** Lets a request through when its key holds the role that the contract demands of the operation. */
export function authorise(deps: AuthDeps, operation: Operation): RequestHandler {
  return async (req, res, next) => {
    const context = contextOf(res)
    context.operation = operation
    // Health must answer without the database, so that it can say what is wrong with it.
    if (operation.role !== 'none' && !deps.holdsToken(operation, req.headers.authorization)) {
      const { facts } = context
      const refuse = (message: string) => deps.limits.countFailure(facts.ip) ?? unauthorized(message)
      const raw = readKey(req.headers.authorization, refuse)
      context.snapshot = await deps.snapshots.current()
      context.actor = { ...authenticate(deps, operation, context.snapshot, { raw, refuse, res }), ...origin(facts) }
    }
    next()
  }
}

interface Attempt {
  raw: string | undefined
  /** Counts the attempt as failed. */
  refuse: Refuse
  res: Response
}

type Refuse = (message: string) => SignalbookError

/** Reads the key that was sent. One with a wrong form or checksum is refused here, before anything is looked up. */
function readKey(header: string | undefined, refuse: Refuse): string | undefined {
  if (header === undefined) return undefined
  const raw = /^Bearer +(\S+) *$/i.exec(header)?.[1]
  if (raw === undefined) throw refuse('the header Authorization must read "Bearer <API_KEY>"')
  if (!isWellFormedKey(raw)) throw refuse('this is not a Signalbook API key: its form or its checksum is wrong; look for a typing error')
  return raw
}

function authenticate(deps: AuthDeps, operation: Operation, snapshot: Snapshot, attempt: Attempt): Actor {
  if (operation.bootstrap && snapshot.awaitsFirstKey && attempt.raw === undefined) return {}
  const key = liveKey(deps, snapshot, attempt)
  const perSecond = snapshot.settings.rateLimitPerKey
  if (perSecond > 0) deps.limits.countRequest(key.id, perSecond, attempt.res)
  if (LEVEL[key.role] < LEVEL[operation.role]) {
    throw new SignalbookError('forbidden', `this call needs a key with the role ${operation.role}; this key has the role ${key.role}`)
  }
  deps.noteUse(key.id, deps.now())
  return { keyId: key.id, role: key.role, ...(key.name === undefined ? {} : { name: key.name }) }
}

function liveKey(deps: AuthDeps, snapshot: Snapshot, { raw, refuse }: Attempt): ApiKey {
  if (raw === undefined) throw unauthorized('this call needs the header Authorization: Bearer <API_KEY>')
  // Whoever times this look-up learns about a SHA-256 and nothing about a key.
  const key = snapshot.keyByHash(hashKey(raw))
  // The same words for unknown, expired and revoked: whoever holds a dead key learns nothing from it.
  if (!key || keyStatus(key, deps.now()) !== 'active') throw refuse('this API key is unknown, expired or revoked; ask an admin for a new one')
  return key
}

function unauthorized(message: string): SignalbookError {
  return new SignalbookError('unauthorized', message)
}

function origin(facts: { id: string; ip: string | undefined }): Actor {
  return { requestId: facts.id, ...(facts.ip === undefined ? {} : { ip: facts.ip }) }
}
