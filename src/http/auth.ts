import type { RequestHandler } from 'express'
import { hashKey, isWellFormedKey } from '../admin/key-format.ts'
import { keyStatus } from '../admin/keys.ts'
import type { Operation, RequiredRole } from '../contract/operations.ts'
import { SignalbookError } from '../error.ts'
import type { Snapshot, SnapshotHolder } from '../snapshot/snapshot.ts'
import type { ApiKey } from '../store/api-keys.ts'
import type { Actor } from '../store/actor.ts'
import { contextOf } from './context.ts'

const LEVEL: Record<RequiredRole, number> = { none: 0, viewer: 1, publisher: 2, admin: 3 }

export interface AuthDeps {
  snapshots: SnapshotHolder
  now: () => number
  /** Lets a request through that proves itself by something else than a key. */
  holdsToken: (operation: Operation, authorization: string | undefined) => boolean
  /** Told of every accepted key, so that its last use can be shown. */
  noteUse: (keyId: number, at: number) => void
}

/** Lets a request through when its key holds the role that the contract demands of the operation. */
export function authorise(deps: AuthDeps, operation: Operation): RequestHandler {
  return async (req, res, next) => {
    const context = contextOf(res)
    context.operation = operation
    // Health must answer without the database, so that it can say what is wrong with it.
    if (operation.role !== 'none' && !deps.holdsToken(operation, req.headers.authorization)) {
      context.snapshot = await deps.snapshots.current()
      context.actor = { ...authenticate(deps, operation, context.snapshot, req.headers.authorization), ...origin(context.facts) }
    }
    next()
  }
}

function authenticate(deps: AuthDeps, operation: Operation, snapshot: Snapshot, header: string | undefined): Actor {
  if (operation.bootstrap && snapshot.awaitsFirstKey && header === undefined) return {}
  const key = liveKey(deps, snapshot, header)
  if (LEVEL[key.role] < LEVEL[operation.role]) {
    throw new SignalbookError('forbidden', `this call needs a key with the role ${operation.role}; this key has the role ${key.role}`)
  }
  deps.noteUse(key.id, deps.now())
  return { keyId: key.id, role: key.role, ...(key.name === undefined ? {} : { name: key.name }) }
}

function liveKey(deps: AuthDeps, snapshot: Snapshot, header: string | undefined): ApiKey {
  if (header === undefined) throw unauthorized('this call needs the header Authorization: Bearer <API_KEY>')
  const raw = /^Bearer +(\S+) *$/i.exec(header)?.[1]
  if (raw === undefined) throw unauthorized('the header Authorization must read "Bearer <API_KEY>"')
  if (!isWellFormedKey(raw)) throw unauthorized('this is not a Signalbook API key: its form or its checksum is wrong; look for a typing error')
  // Whoever times this look-up learns about a SHA-256 and nothing about a key.
  const key = snapshot.keyByHash(hashKey(raw))
  if (!key) throw refusedKey()
  if (keyStatus(key, deps.now()) !== 'active') throw refusedKey()
  return key
}

// The same words for unknown, expired and revoked: whoever holds a dead key learns nothing from it.
function refusedKey(): SignalbookError {
  return unauthorized('this API key is unknown, expired or revoked; ask an admin for a new one')
}

function unauthorized(message: string): SignalbookError {
  return new SignalbookError('unauthorized', message)
}

function origin(facts: { id: string; ip: string | undefined }): Actor {
  return { requestId: facts.id, ...(facts.ip === undefined ? {} : { ip: facts.ip }) }
}
