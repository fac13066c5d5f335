import type { CanonicalEvent } from '../../destinations/canonical-event.ts'
import { deleteDeadLetters, findLastDeadLetterId, listDeadLetters as listRows, listOldestDeadLetters } from '../../store/relay/dead-letters.ts'
import type { DeadLetter, DeadLetterFilter } from '../../store/relay/dead-letters.ts'
import { addToCounters } from '../../store/relay/relay-counters.ts'
import { writeEvents } from '../log/append-group.ts'
import type { NewEvent, RelayLog } from '../log/log.ts'
import { insertReplays } from '../../store/relay/relay-replays.ts'
import { readLastSequence, takeSequence } from '../../store/relay/relay-sequence.ts'
import type { Actor } from '../../store/actor.ts'
import { audited } from './audited.ts'
import type { AuditedDeps, Tally } from './audited.ts'
import type { OperateDeps } from './deliveries.ts'

export type { DeadLetterFilter } from '../../store/relay/dead-letters.ts'

/** A dead letter as an operator sees it. */
export type DeadLetterView = Omit<DeadLetter, 'event'> & { event: CanonicalEvent }

const LETTERS_PER_STEP = 500

/** Dead letters, newest first. @param query `before` is the id that the page before ended with */
export async function listDeadLetters(deps: OperateDeps, query: DeadLetterFilter & { before?: number; limit: number }): Promise<DeadLetterView[]> {
  const letters = await listRows(deps.relayDb.knex, query)
  return letters.map((letter) => ({ ...letter, event: JSON.parse(letter.event) as CanonicalEvent }))
}

/**
 * Puts dead letters back at the end of the log, in their original order, for their destination only and under their own message_id.
 * @returns how many; those whose destination is gone stay and are counted as `skipped`
 */
export async function replayDeadLetters(
  deps: OperateDeps & AuditedDeps & { relayLog: RelayLog },
  actor: Actor,
  filter: DeadLetterFilter,
): Promise<{ replayed: number; skipped: number }> {
  const destinationIds = (await deps.snapshots.current()).destinations().map((destination) => destination.id)
  // What dies from now on is not meant, least of all the replayed ones that fail again.
  const upTo = await findLastDeadLetterId(deps.relayDb.knex)
  return audited(deps, actor, { action: 'dead_letters_replayed', entity: 'destination', filter }, async (tally) => {
    let replayed = 0
    for (;;) {
      const letters = await listOldestDeadLetters(deps.relayDb.knex, { ...filter, destinationIds, upTo, limit: LETTERS_PER_STEP })
      if (letters.length === 0) break
      if (!(await replay(deps, letters))) continue
      replayed += letters.length
      count(tally, letters, 'replayed')
      deps.relayLog.announce(letters.map((letter) => letter.destinationId))
    }
    const left = await listOldestDeadLetters(deps.relayDb.knex, { ...filter, upTo, limit: LETTERS_PER_STEP })
    return { replayed, skipped: left.length }
  })
}

/** Deletes dead letters for good; they stay counted as failed. @returns how many */
export async function discardDeadLetters(deps: OperateDeps & AuditedDeps, actor: Actor, filter: DeadLetterFilter): Promise<number> {
  const upTo = await findLastDeadLetterId(deps.relayDb.knex)
  return audited(deps, actor, { action: 'dead_letters_discarded', entity: 'destination', filter }, async (tally) => {
    let discarded = 0
    for (;;) {
      const letters = await discardSome(deps, { ...filter, upTo })
      if (letters.length === 0) return discarded
      discarded += letters.length
      count(tally, letters, 'discarded')
    }
  })
}

function discardSome(deps: OperateDeps, query: DeadLetterFilter & { upTo: number }): Promise<DeadLetter[]> {
  return deps.relayDb.knex.transaction(async (tx) => {
    // The lock that replays take as well: what is read here is what is deleted.
    await takeSequence(tx, 0)
    const letters = await listOldestDeadLetters(tx, { ...query, limit: LETTERS_PER_STEP })
    await deleteDeadLetters(tx, { ids: letters.map((letter) => letter.id) })
    return letters
  })
}

function count(tally: Tally, letters: DeadLetter[], what: string): void {
  for (const letter of letters) tally.add(letter.destination, what)
}

/** @returns false, with nothing changed, when somebody else took one of the letters in between */
async function replay(deps: OperateDeps, letters: DeadLetter[]): Promise<boolean> {
  const { relayDb } = deps
  try {
    await relayDb.knex.transaction(async (tx) => {
      await writeEvents(relayDb, tx, letters.map(asNewEvent))
      // They took the last numbers, and nobody takes another before this transaction ends.
      const first = (await readLastSequence(tx)) - letters.length + 1
      await insertReplays(tx, letters.map(({ seq, destinationId, messageId }, index) => ({ seq: first + index, originalSeq: seq, destinationId, messageId })))
      const deleted = await deleteDeadLetters(tx, { ids: letters.map((letter) => letter.id) })
      if (deleted !== letters.length) throw new LostRace()
      // They were accepted once: writing them again must not count them twice.
      await addToCounters(tx, letters.map(({ source, destinationId }) => ({ source, destinationId, accepted: -1, dead: -1 })))
    })
    return true
  } catch (error) {
    if (error instanceof LostRace) return false
    throw error
  }
}

class LostRace extends Error {}

function asNewEvent(letter: DeadLetter): NewEvent {
  return {
    isReplay: true,
    source: letter.source,
    messageId: letter.messageId,
    type: letter.type,
    eventName: letter.eventName,
    verdict: 'accepted',
    destinationIds: [letter.destinationId],
    spec: undefined,
    violations: undefined,
    receivedAt: letter.receivedAt,
    event: letter.event,
  }
}
