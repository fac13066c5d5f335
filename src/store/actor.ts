export type Role = 'viewer' | 'publisher' | 'admin'

/** Who asks for a change, as the audit log will name them. */
export interface Actor {
  keyId?: number
  name?: string
  role?: Role
  ip?: string
  requestId?: string
}

/** How an actor is named where only a text has room: the key's name, else its id. */
export function actorLabel(actor: Actor): string | undefined {
  return actor.name ?? (actor.keyId === undefined ? undefined : `key ${actor.keyId}`)
}
