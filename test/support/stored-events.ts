import type { Executor } from '../../src/store/db.ts'
import { PACKS } from '../../src/store/relay/event-packs.ts'
import { unpackItems } from '../../src/store/relay/event-pack.ts'
import type { EventPackRow } from '../../src/store/relay/event-pack.ts'
import type { RelayEvent } from '../../src/store/relay/relay-event.ts'
import { QUARANTINE, toRelayEvent } from '../../src/store/relay/relay-quarantine.ts'
import type { QuarantineRow } from '../../src/store/relay/relay-quarantine.ts'

/** Every event that a log holds, in order; at one moment if `db` is a transaction that sees one. */
export async function storedEvents(db: Executor): Promise<Omit<RelayEvent, 'event'>[]> {
  const packs = await db<EventPackRow>(PACKS).select('first_seq', 'heads', 'items')
  const apart = await db<QuarantineRow>(QUARANTINE)
  return [...packs.flatMap(unpackItems), ...apart.map(toRelayEvent)].sort((one, other) => one.seq - other.seq)
}

/** The message_ids of every event that a log holds, in order. */
export async function storedMessageIds(db: Executor): Promise<string[]> {
  return (await storedEvents(db)).map(({ messageId }) => messageId)
}
