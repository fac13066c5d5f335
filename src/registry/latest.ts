import type { Executor } from '../store/db.ts'
import { markLatestSpec, versionsOf } from '../store/event-specs.ts'
import { latestOf } from './version.ts'

/** Works out anew which version of an event is meant when none is named, in the transaction that changed its versions. */
export async function refreshLatest(tx: Executor, event: { namespace: string; name: string }): Promise<void> {
  const versions = await versionsOf(tx, event.namespace, event.name)
  const latest = latestOf(versions.map(({ id, spec }) => ({ id, version: spec.version, status: spec.status })))
  await markLatestSpec(tx, event, latest?.id)
}
