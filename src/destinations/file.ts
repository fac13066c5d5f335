import { mkdir, open, realpath, rename } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { bool, checkFields, credential, wholeNumber, wrong } from './config-fields.ts'
import type { Field } from './config-fields.ts'
import { ALL_NATIVE } from './destination.ts'
import type { LocalProvider, Result } from './destination.ts'
import { localLimits, verbatim } from './verbatim.ts'

const MIB = 1024 * 1024
// Names of ordinary files only, and an ending that no file of the service itself has: appending to the database would destroy it.
const PATH = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}\/){0,8}[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}\.(?:ndjson|jsonl|log)$/
const RETRIED = new Set(['ENOSPC', 'EIO', 'EDQUOT', 'EMFILE', 'ENFILE', 'EBUSY', 'EAGAIN'])

const path: Field = (value, name) => {
  if (typeof value !== 'string' || !PATH.test(value)) {
    throw wrong('path', `${name} must be a path inside the data directory, such as "events/web.ndjson", ending in .ndjson, .jsonl or .log`)
  }
}

/** Appends one JSON line per event to a file in the service's data directory. */
export const file: LocalProvider = {
  transport: 'local',
  name: 'file',
  aliases: [],
  secretKeys: ['api_key'],
  supports: ALL_NATIVE,
  identity: 'none',
  checkConfig(config) {
    const checked = checkFields('file', config, { path, rotate_bytes: wholeNumber(MIB, 1024 * 1024 * MIB), fsync: bool, api_key: credential })
    if (checked['path'] === undefined) throw wrong('path', 'config.path is required: a path inside the data directory, such as "events/web.ndjson"')
    return checked
  },
  limits: localLimits,
  encode: verbatim,
  async open(config, { dataDirectory }) {
    const target = join(dataDirectory, config['path'] as string)
    let handle: FileHandle | undefined
    return {
      async deliver(items) {
        try {
          handle ??= await openForAppend(target, dataDirectory)
          handle = await rotateIfLarge(handle, target, config['rotate_bytes'] as number | undefined)
          // One write per batch: a crash can tear at most the last line.
          await handle.appendFile(items.map((item) => item.body + '\n').join(''))
          if (config['fsync'] !== false) await handle.datasync()
          return { kind: 'all', result: { kind: 'ok' } }
        } catch (error) {
          await handle?.close().catch(() => undefined) // the fault that is reported came first
          handle = undefined
          return { kind: 'all', result: judge(error as NodeJS.ErrnoException) }
        }
      },
      close: async () => handle?.close(),
    }
  },
}

async function openForAppend(target: string, dataDirectory: string): Promise<FileHandle> {
  await mkdir(dirname(target), { recursive: true })
  const [home, directory] = await Promise.all([realpath(dataDirectory), realpath(dirname(target))])
  // A symbolic link inside the data directory must not lead out of it.
  if (directory !== home && !directory.startsWith(home + sep)) throw Object.assign(new Error('the path leads out of the data directory'), { code: 'EACCES' })
  const handle = await open(target, 'a+')
  try {
    const { size } = await handle.stat()
    const last = Buffer.alloc(1)
    if (size > 0) await handle.read(last, 0, 1, size - 1)
    // A line that a crash tore ends here, so that the next one stays readable.
    if (size > 0 && last[0] !== 0x0a) await handle.appendFile('\n')
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function rotateIfLarge(handle: FileHandle, target: string, rotateBytes: number | undefined): Promise<FileHandle> {
  if (rotateBytes === undefined || (await handle.stat()).size < rotateBytes) return handle
  await handle.close()
  const stamp = new Date().toISOString().replaceAll(/[-:.]/g, '')
  await rename(target, target.replace(/(\.[a-z]+)$/, `.${stamp}$1`))
  return open(target, 'a+')
}

function judge(error: NodeJS.ErrnoException): Result {
  const message = `the file cannot be written: ${error.code ?? error.message}`
  return RETRIED.has(error.code ?? '') ? { kind: 'retry', message } : { kind: 'halt', code: 'file_refused', message }
}
