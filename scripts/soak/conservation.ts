import type { Database } from '../../src/store/db.ts'
import { storedEvents } from '../../test/support/stored-events.ts'

/** Where the events of a log are at one moment. */
export interface Balance {
  /** Events by verdict. */
  accepted: number
  quarantined: number
  sampledOut: number
  stored: number
  destinations: { id: number; accepted: number; delivered: number; dead: number; pending: number }[]
}

interface Cursor {
  destination_id: number
  position: number
}

/**
 * Counts every event of the log anew, in one snapshot of the database: what waits is counted as events past the cursor, and not as
 * what the counters leave over, so that the two can contradict each other.
 */
export async function takeBalance(db: Database): Promise<Balance> {
  const isolation = db.dialect.hasPrograms ? {} : { isolationLevel: 'repeatable read' as const }
  return db.knex.transaction(async (tx) => {
    const events = await storedEvents(tx)
    const counters = await tx('relay_counters').select<{ destination_id: number; accepted: number; delivered: number; dead: number }[]>()
    const cursors = await tx('relay_cursors').select<Cursor[]>()
    const destinations: Balance['destinations'] = []
    for (const { destination_id: id, accepted, delivered, dead } of counters) {
      const after = Number(cursors.find((cursor) => Number(cursor.destination_id) === Number(id))?.position ?? 0)
      const pending = events.filter(({ seq, destinationIds }) => seq > after && destinationIds.includes(Number(id))).length
      destinations.push({ id: Number(id), accepted: Number(accepted), delivered: Number(delivered), dead: Number(dead), pending })
    }
    const of = (verdict: string) => events.filter((event) => event.verdict === verdict).length
    return { accepted: of('accepted'), quarantined: of('quarantined'), sampledOut: of('sampled_out'), stored: events.length, destinations }
  }, isolation)
}

/** R5: accepted = delivered + pending + dead at each destination, and nothing is stored that is not accepted, quarantined or sampled out. @returns what does not add up */
export function imbalances(balance: Balance): string[] {
  const faults = balance.destinations
    .filter(({ accepted, delivered, dead, pending }) => accepted !== delivered + dead + pending || accepted !== balance.accepted)
    .map((each) => `destination ${each.id} of ${balance.accepted} accepted events: ${JSON.stringify(each)}`)
  if (balance.stored !== balance.accepted + balance.quarantined + balance.sampledOut) faults.push(`stored: ${JSON.stringify(balance)}`)
  return faults
}
