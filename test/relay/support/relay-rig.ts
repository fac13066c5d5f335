import { startSupervisor } from '../../../src/relay/delivery/supervisor.ts'
import type { Supervisor } from '../../../src/relay/delivery/supervisor.ts'
import { acceptCalls } from '../../../src/relay/accept/accept.ts'
import type { CallOutcome, RelayCall } from '../../../src/relay/accept/accept.ts'
import type { Actor } from '../../../src/store/actor.ts'
import type { AuditFact } from '../../../src/store/audit-entries.ts'
import type { EngineName } from '../../support/database.ts'
import { readFlushMark } from '../../../src/store/relay/relay-flush-mark.ts'
import { newIdPrefix } from '../../../src/store/relay/made-id.ts'
import { bodyOf } from './accepting.ts'
import { createRig } from './rig.ts'
import type { Rig } from './rig.ts'
import { testRegistry } from './snapshot.ts'

/** A whole relay: a registry to change, calls to accept, destinations that get them. */
export async function createRelayRig(engine: EngineName) {
  const rig: Rig = await createRig(engine)
  const registry = testRegistry()
  let supervisor: Supervisor | undefined
  const audited: { actor: Actor; facts: AuditFact[] }[] = []
  const audit = async (actor: Actor, facts: AuditFact[]) => void audited.push({ actor, facts })
  const operate = { audit, relayDb: rig.db, snapshots: registry.holder, relayLog: rig.log, now: rig.deps.now, flushDeliveries: (mark: number) => supervisor?.flush(mark) }
  return {
    ...rig,
    registry,
    operate,
    /** What was written into the audit log. */
    audited,
    supervise: (given: { syncMs?: number; pruneMs?: number } = {}) => (supervisor = startSupervisor({ ...rig.deps, flushMark: () => readFlushMark(rig.db.knex), holder: registry.holder, syncMs: 50, ...given })),
    async send(calls: object[], source = 'web'): Promise<CallOutcome[]> {
      const deps = { relayLog: rig.log, newIdPrefix, random: Math.random }
      return acceptCalls(deps, { snapshot: registry.snapshot(), source, calls: calls as RelayCall[], isBatch: true, request: { receivedAt: rig.deps.now(), body: bodyOf(calls, { isBatch: true }) } })
    },
    async close(): Promise<void> {
      await supervisor?.stop()
      await rig.close()
    },
  }
}

export type RelayRig = Awaited<ReturnType<typeof createRelayRig>>
