import { DatabaseSync } from 'node:sqlite'
import { relayTarget } from '../../src/store/relay/relay-target.ts'
import { createTestDatabase } from './database.ts'
import type { EngineName, TestDatabase } from './database.ts'
import { startOwnMariadb } from './own-mariadb.ts'

/** A database that can be taken away and given back. */
export interface Stoppable {
  home: TestDatabase
  stop: () => Promise<void>
  /** Leaves it there, without an answer to anything. */
  freeze: () => Promise<void>
  start: () => Promise<void>
  remove: () => Promise<void>
}

/** Of SQLite another process holds the write lock of both files; MariaDB is killed or stands still. */
export async function stoppable(engine: EngineName): Promise<Stoppable> {
  if (engine === 'mariadb') {
    const own = await startOwnMariadb()
    return {
      home: await createTestDatabase(engine, own.server),
      stop: () => own.kill(),
      freeze: async () => void process.kill(own.pid(), 'SIGSTOP'),
      start: () => own.start(),
      remove: () => own.remove(),
    }
  }
  const home = await createTestDatabase(engine)
  let locks: DatabaseSync[] = []
  const lock = async () => {
    locks = [home.target, relayTarget(home.target)].map((target) => new DatabaseSync((target as { filename: string }).filename))
    for (const each of locks) each.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE')
  }
  return {
    home,
    stop: lock,
    freeze: lock,
    async start() {
      for (const each of locks) each.close()
    },
    remove: () => home.remove(),
  }
}
