import { constants } from 'node:fs'
import { access, mkdir, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ConfigError } from './config.ts'
import { MINUTE } from './duration.ts'
import type { Database } from './store/db.ts'
import { listDestinations } from './store/destinations.ts'
import type { DatabaseTarget } from './store/dialect.ts'
import { newestStoredTime } from './store/newest-time.ts'
import { UnreadableSecretError } from './store/secret-cipher.ts'
import { assertReadableSecrets } from './store/webhook-secrets.ts'
import { formatTime } from './time.ts'

type Warn = (facts: object, text: string) => void

const MIB = 1024 * 1024
// A million waiting events take some hundred megabytes: below this, a destination that stands still for an hour can fill the disk.
const LEAST_FREE_BYTES = 512 * MIB
const EARLIEST_CLOCK = Date.UTC(2020, 0, 1)
// Machines of one cluster differ by seconds.
const CLOCK_TOLERANCE_MS = 5 * MINUTE

/** The directory of the database's files, `undefined` when it has none on this machine. */
export function dataDirectoryOf(target: DatabaseTarget): string | undefined {
  return target.engine === 'sqlite' && target.filename !== ':memory:' ? resolve(dirname(target.filename)) : undefined
}

/** Makes the data directory. @param measure what a file system has left, in blocks and their size. @throws ConfigError in a sentence when it, or the database in it, cannot be written; a lack of space is only warned of */
export async function checkDataDirectory(target: DatabaseTarget, warn: Warn, measure: (path: string) => Promise<{ bavail: number; bsize: number }> = statfs): Promise<void> {
  const directory = dataDirectoryOf(target)
  if (directory === undefined || target.engine !== 'sqlite') return
  try {
    await mkdir(directory, { recursive: true })
    await access(directory, constants.W_OK)
    await access(target.filename, constants.W_OK).catch(unlessMissing)
  } catch (error) {
    throw new ConfigError([`DATABASE_URL names ${resolve(target.filename)}, and the user of this process cannot write there (${(error as NodeJS.ErrnoException).code}); give it the directory, or name another`])
  }
  const { bavail, bsize } = await measure(directory)
  if (bavail * bsize < LEAST_FREE_BYTES) {
    warn({ directory, freeMebibytes: Math.floor((bavail * bsize) / MIB) }, `the data directory has less than ${LEAST_FREE_BYTES / MIB} MiB left; when it is full, events are refused with 503`)
  }
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/**
 * Compares the clock with common sense and with what was stored. One that was never set is refused: it would bring expired keys
 * back to life. One that was set back a little is the owner's to judge, and only warned of.
 * @throws ConfigError
 */
export async function checkClock(databases: { db: Database; relayDb: Database }, now: number, warn: Warn): Promise<void> {
  if (now < EARLIEST_CLOCK) throw new ConfigError([`the clock of this machine says ${formatTime(now)}, which cannot be; set it, best by NTP`])
  const newest = await newestStoredTime(databases.db.knex, databases.relayDb.knex)
  if (newest !== undefined && newest - now > CLOCK_TOLERANCE_MS) {
    warn({ clock: formatTime(now), newest: formatTime(newest) }, 'the clock of this machine is behind the newest entry of the database: keys expire late and retries wait long; check the clock')
  }
}

/** Opens every stored secret once. @throws ConfigError when ENCRYPTION_KEY is not what they were encrypted with */
export async function checkSecrets(db: Database): Promise<void> {
  try {
    await listDestinations(db.knex)
    await assertReadableSecrets(db.knex)
  } catch (error) {
    throw error instanceof UnreadableSecretError ? new ConfigError([error.message]) : error
  }
}
