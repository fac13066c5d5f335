import type { Database } from '../../src/store/db.ts'

/** Where the events of a log are at one moment. */
export interface Balance {
  /** Rows by verdict. */
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
 * Counts every event of the log anew, in one snapshot of the database: what waits is counted as rows past the cursor, and not as
 * what the counters leave over, so that the two can contradict each other.
 */
export async function takeBalance(db: Database): Promise<Balance> {
  const isolation = db.dialect.hasPrograms ? {} : { isolationLevel: 'repeatable read' as const }
  return db.knex.transaction(async (tx) => {
    const verdicts = new Map((await tx('relay_events').groupBy('verdict').select<{ verdict: string; n: number }[]>('verdict', tx.raw('count(*) as n'))).map(({ verdict, n }) => [verdict, Number(n)]))
    const counters = await tx('relay_counters').select<{ destination_id: number; accepted: number; delivered: number; dead: number }[]>()
    const cursors = await tx('relay_cursors').select<Cursor[]>()
    const destinations: Balance['destinations'] = []
    for (const { destination_id: id, accepted, delivered, dead } of counters) {
      const after = Number(cursors.find((cursor) => Number(cursor.destination_id) === Number(id))?.position ?? 0)
      const waiting = await tx('relay_events').where('seq', '>', after).where('destinations', 'like', `%,${id},%`).count<{ n: number }[]>({ n: '*' })
      destinations.push({ id: Number(id), accepted: Number(accepted), delivered: Number(delivered), dead: Number(dead), pending: Number(waiting[0]?.n) })
    }
    const of = (verdict: string) => verdicts.get(verdict) ?? 0
    return { accepted: of('accepted'), quarantined: of('quarantined'), sampledOut: of('sampled_out'), stored: [...verdicts.values()].reduce((sum, n) => sum + n, 0), destinations }
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
