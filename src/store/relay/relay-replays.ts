import type { Knex } from 'knex'
import type { Executor } from '../db.ts'

const TABLE = 'relay_replays'
const ROWS_PER_INSERT = 200

/** An event of the log that repeats an earlier one, for one destination. */
export interface RelayReplay {
  seq: number
  originalSeq: number
  destinationId: number
  messageId: string
}

interface RelayReplayRow {
  seq: number
  original_seq: number
  destination_id: number
  message_id: string
}

/** Notes replays, in the transaction that writes them. */
export async function insertReplays(tx: Knex.Transaction, replays: RelayReplay[]): Promise<void> {
  const rows = replays.map((replay): RelayReplayRow => ({ seq: replay.seq, original_seq: replay.originalSeq, destination_id: replay.destinationId, message_id: replay.messageId }))
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) await tx(TABLE).insert(rows.slice(at, at + ROWS_PER_INSERT))
}

/** The replays of a message, by any source. */
export async function listReplaysOf(db: Executor, messageId: string): Promise<RelayReplay[]> {
  return ((await db<RelayReplayRow>(TABLE).where('message_id', messageId))).map(toReplay)
}

/** Replays that are among some events, or that repeat them. */
export async function listReplaysAround(db: Executor, sequences: number[]): Promise<RelayReplay[]> {
  const rows = (await db<RelayReplayRow>(TABLE).whereIn('seq', sequences).orWhereIn('original_seq', sequences).orderBy('seq'))
  return rows.map(toReplay)
}

/** Forgets the replays before a number. */
export async function deleteReplaysBefore(db: Executor, seq: number): Promise<void> {
  await db(TABLE).where('seq', '<', seq).delete()
}

function toReplay(row: RelayReplayRow): RelayReplay {
  return { seq: Number(row.seq), originalSeq: Number(row.original_seq), destinationId: Number(row.destination_id), messageId: row.message_id }
}
