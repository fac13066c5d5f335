import type { Actor } from '../../store/actor.ts'
import type { AuditFact } from '../../store/audit-entries.ts'

export interface AuditedDeps {
  /** Writes audit entries, through `change`. */
  audit: (actor: Actor, facts: AuditFact[]) => Promise<void>
}

/** Counts what an operator's order did, by the name of the destination or source that it was done to. */
export interface Tally {
  add(name: string, what: string): void
}

/**
 * Does what an operator orders and then writes one audit entry for each destination or source that it touched.
 *
 * The entries come after the deed and in a transaction of their own: on SQLite the relay's tables are another file than the
 * registry's, and no transaction spans both. A process that dies between the two leaves a deed without its entry, never an
 * entry without its deed. An order that fails half way is written down as far as it went.
 */
export async function audited<T>(
  deps: AuditedDeps,
  actor: Actor,
  order: { action: string; entity: 'destination' | 'source'; filter: object },
  work: (tally: Tally) => Promise<T>,
): Promise<T> {
  const counts = new Map<string, Record<string, number>>()
  const tally: Tally = {
    add(name, what) {
      const mine = counts.get(name) ?? {}
      mine[what] = (mine[what] ?? 0) + 1
      counts.set(name, mine)
    },
  }
  try {
    return await work(tally)
  } finally {
    const { action, entity, filter } = order
    const facts = [...counts].map(([entityId, count]): AuditFact => ({ action, entity, entityId, after: { ...count, filter: toWire(filter) } }))
    if (facts.length > 0) await deps.audit(actor, facts)
  }
}

/** `messageId` → `message_id`: audit entries speak as the interface does. */
function toWire(filter: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(filter).map(([key, value]) => [key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), value]))
}
