import { readFile } from 'node:fs/promises'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { EngineName } from '../../../test/support/database.ts'
import { spawnService } from '../../../test/support/process.ts'
import { fetchPublished } from './published.ts'
import type { FuzzRequest } from './request.ts'
import { send } from './send.ts'

/** A service in a process of its own that holds what the examples of the contract speak of. */
export interface FuzzedService {
  url: string
  /** An admin's. */
  key: string
  /** False for what would take the key of this client away. */
  mayReceive: (request: FuzzRequest) => boolean
  /** Puts back what the examples of the contract speak of. */
  restock: () => Promise<void>
  /** Resident memory of the process; undefined where /proc does not tell. */
  memoryMb: () => Promise<number | undefined>
  close: () => Promise<void>
}

/** Starts it on an empty database. It delivers nothing, since generated destinations would be addresses of others. */
export async function startFuzzedService(engine: EngineName): Promise<FuzzedService> {
  const home = await createTestDatabase(engine)
  const service = await spawnService({ DATABASE_URL: home.url, ROLE: 'api', ALLOW_PRIVATE_NETWORKS: 'on', LOG_LEVEL: 'silent' })
  const first = await fetch(`${service.url}/v1/admin/keys`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"role":"admin"}' })
  const { id, key } = (await first.json()) as { id: number; key: string }
  const restock = () => storeExamples(service.url, key)
  return {
    url: service.url,
    key,
    // Numbers can be written in many ways.
    mayReceive: ({ method, path }) => method === 'GET' || Number(/^\/v1\/admin\/keys\/([^/?]+)/.exec(path)?.[1]) !== id,
    restock,
    async memoryMb() {
      const status = await readFile(`/proc/${service.child.pid}/status`, 'utf8').catch(() => undefined)
      return status === undefined ? undefined : Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
    },
    async close() {
      await service.terminate()
      await home.remove()
    },
  }
}

/** Sends the examples of all bodies, so that the examples of parameters name things that are there. */
async function storeExamples(url: string, key: string): Promise<void> {
  const { operations, resolve } = await fetchPublished(url)
  for (const { method, path, body } of operations) {
    const media = body?.content['application/json']
    if (method !== 'post' || !media) continue
    const example = media.example ?? resolve(media.schema).example
    await send(url, key, { method: 'POST', path, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(example) })
  }
}
