import { access, chmod, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { invalid } from './error.ts'
import { closeDatabase, openDatabase } from './store/db.ts'
import type { DatabaseTarget } from './store/dialect.ts'
import { relayTarget } from './store/relay/relay-target.ts'

/**
 * Copies a database to `file`, and the relay's log beside it, so that `DATABASE_URL=sqlite:<file>` starts on the pair. Writers go on meanwhile.
 *
 * The log is copied first. Its events name destinations by id: the registry, copied later, knows every id that they name, or knows
 * that the destination was deleted. The other way round, the log could name ids that the older registry has yet to give away,
 * and hand one destination's events to another.
 * @returns the files, the log's and then the registry's
 * @throws SignalbookError `invalid_request` when this database cannot be copied, or a file is there already
 */
export async function backUp(source: DatabaseTarget, file: string): Promise<string[]> {
  const target: DatabaseTarget = { engine: 'sqlite', filename: file }
  const copies = [
    { from: relayTarget(source), to: filenameOf(relayTarget(target)) },
    { from: source, to: file },
  ]
  for (const { to } of copies) await assertAbsent(to)
  // The registry's copy gets its name last: where it stands, the backup is whole.
  try {
    for (const { from, to } of copies) await copy(from, `${to}.incomplete`)
    for (const { to } of copies) await rename(`${to}.incomplete`, to)
  } finally {
    for (const { to } of copies) await rm(`${to}.incomplete`, { force: true })
  }
  await flush(dirname(file))
  return copies.map(({ to }) => to)
}

async function copy(from: DatabaseTarget, to: string): Promise<void> {
  await rm(to, { force: true })
  const db = openDatabase(from)
  try {
    await db.dialect.backUp(db.knex, to)
    // Customers' data. SQLite leaves the copy to the system's cache, where a power cut would take it.
    await chmod(to, 0o600)
    await flush(to)
  } finally {
    await closeDatabase(db)
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function assertAbsent(file: string): Promise<void> {
  const isThere = await access(file).then(() => true, () => false)
  if (isThere) throw invalid(`${file} exists already; a backup overwrites nothing, name another file`)
}

function filenameOf(target: DatabaseTarget): string {
  return (target as Extract<DatabaseTarget, { engine: 'sqlite' }>).filename
}
