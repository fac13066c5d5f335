import type { Prepare } from './program.ts'

/** What events have in common that came together, so that it crosses to the thread once. */
export interface AppendHead {
  source: string
  type: string
  event_name: string | null
  verdict: string
  destinations: string
  spec: string | null
  violations: string | null
  destinationIds: number[]
}

/** A group of events as it crosses to the thread: one entry per event in each list, since few long lists are copied faster than many objects. */
export interface AppendInput {
  heads: AppendHead[]
  headOf: number[]
  receivedAts: number[]
  dedupeKeys: (string | null)[]
  messageIds: string[]
  events: string[]
}

const INSERT = `
  INSERT INTO relay_events (seq, dedupe_key, source, message_id, type, event_name, verdict, destinations, spec, violations, received_at, event)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (dedupe_key) DO NOTHING`
const COUNT = `
  INSERT INTO relay_counters (source, destination_id, accepted) VALUES (?, ?, ?)
  ON CONFLICT (source, destination_id) DO UPDATE SET accepted = accepted + excluded.accepted`

/**
 * Writes a group at the end of the log in one transaction, and counts what each destination got of it.
 * @returns the places of the events that are in the log already
 */
export function appendEvents(prepare: Prepare, input: AppendInput): number[] {
  // The write lock at once: a transaction that begins with a read can fail to get it later.
  prepare('BEGIN IMMEDIATE').run()
  try {
    const duplicates = write(prepare, input)
    prepare('COMMIT').run()
    return duplicates
  } catch (error) {
    rollBack(prepare)
    throw error
  }
}

function write(prepare: Prepare, { heads, headOf, receivedAts, dedupeKeys, messageIds, events }: AppendInput): number[] {
  const { last } = prepare('UPDATE relay_sequence SET last = last + ? WHERE id = 1 RETURNING last').get(events.length) as { last: number }
  const first = last - events.length + 1
  const insert = prepare(INSERT)
  const duplicates: number[] = []
  const stored = heads.map(() => 0)
  for (let at = 0; at < events.length; at++) {
    const of = headOf[at] as number
    const head = heads[of] as AppendHead
    const { changes } = insert.run(
      first + at, dedupeKeys[at] as string | null, head.source, messageIds[at] as string, head.type, head.event_name, head.verdict,
      head.destinations, head.spec, head.violations, receivedAts[at] as number, events[at] as string,
    )
    if (changes === 0) duplicates.push(at)
    else stored[of] = (stored[of] as number) + 1
  }
  count(prepare, heads, stored)
  return duplicates
}

function count(prepare: Prepare, heads: AppendHead[], stored: number[]): void {
  const totals = new Map<string, { source: string; destinationId: number; accepted: number }>()
  heads.forEach(({ source, destinationIds }, at) => {
    const accepted = stored[at] as number
    if (accepted === 0) return
    for (const destinationId of destinationIds) {
      const key = `${destinationId}\n${source}`
      const total = totals.get(key)
      if (total) total.accepted += accepted
      else totals.set(key, { source, destinationId, accepted })
    }
  })
  const statement = prepare(COUNT)
  for (const { source, destinationId, accepted } of totals.values()) statement.run(source, destinationId, accepted)
}

function rollBack(prepare: Prepare): void {
  try {
    prepare('ROLLBACK').run()
  } catch {
    // A full disk makes SQLite roll back by itself; the fault that is reported came first.
  }
}
