import type { Database } from '../db.ts'
import { runProgram } from '../sqlite-thread/run-program.ts'
import type { AppendHead, AppendInput } from '../sqlite-thread/append-program.ts'
import { toRow } from './relay-events.ts'
import type { RelayEvent } from './relay-events.ts'

type Unnumbered = Omit<RelayEvent, 'seq'>

/**
 * Writes a group at the end of the log in one step, for databases whose dialect `hasPrograms`.
 * @returns the places of the events that are in the log already
 */
export async function appendInOneStep(db: Database, events: Unnumbered[]): Promise<Set<number>> {
  const duplicates = await runProgram<AppendInput, number[]>(db, 'appendEvents', toInput(events))
  return new Set(duplicates)
}

function toInput(events: Unnumbered[]): AppendInput {
  const input: AppendInput = { heads: [], headOf: [], receivedAts: [], dedupeKeys: [], messageIds: [], events: [] }
  let last: Unnumbered | undefined
  for (const event of events) {
    // The events of one request mostly differ in their ids and texts only.
    if (!last || !isAlike(last, event)) input.heads.push(headOf(event))
    last = event
    input.headOf.push(input.heads.length - 1)
    input.receivedAts.push(event.receivedAt)
    input.dedupeKeys.push(event.dedupeKey ?? null)
    input.messageIds.push(event.messageId)
    input.events.push(event.event)
  }
  return input
}

function isAlike(one: Unnumbered, other: Unnumbered): boolean {
  return (
    one.source === other.source &&
    one.type === other.type &&
    one.eventName === other.eventName &&
    one.verdict === other.verdict &&
    one.spec === other.spec &&
    one.violations === undefined &&
    other.violations === undefined &&
    // Lists that a snapshot keeps: the same ones are the same object.
    one.destinationIds === other.destinationIds
  )
}

function headOf(event: Unnumbered): AppendHead {
  const { source, type, event_name, verdict, destinations, spec, violations } = toRow({ ...event, seq: 0 })
  return { source, type, event_name, verdict, destinations, spec, violations, destinationIds: event.destinationIds }
}
