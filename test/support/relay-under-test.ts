import { setTimeout as sleep } from 'node:timers/promises'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import type { Database } from '../../src/store/db.ts'
import { listCounters } from '../../src/store/relay/relay-counters.ts'
import { relayTarget } from '../../src/store/relay/relay-target.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Receiver } from '../relay/support/receiver.ts'
import { createTestDatabase } from './database.ts'
import type { EngineName, TestDatabase } from './database.ts'
import { spawnService } from './process.ts'
import type { ServiceProcess } from './process.ts'
import { registerRelay, relayClient } from './relay-client.ts'
import type { RelayClient } from './relay-client.ts'

/** The service as a process of its own, with a real receiver, that can be killed and looked into. */
export interface RelayUnderTest {
  home: TestDatabase
  receiver: Receiver
  client: RelayClient
  env: Record<string, string>
  /** The process that the client speaks to. */
  service: ServiceProcess
  /** Starts it again, as after `kill` or `terminate`. */
  restart: () => Promise<void>
  /** A connection of the test's own to the relay's tables. */
  relayDb: () => Database
  /** Of all destinations together. */
  counts: () => Promise<{ accepted: number; delivered: number; dead: number }>
  /** Keeps `senders` calls under way until `stop`. @param send sends call `n` of a sender */
  load: (senders: number, send: (sender: number, n: number) => Promise<void>) => { stop: () => Promise<void> }
  close: () => Promise<void>
}

/** Starts a relay whose source `web` sends to `sink`. @param given `settings` are the destination's; `home` is another database than a new one of the test's own */
export async function startRelayUnderTest(
  engine: EngineName,
  given: { answer?: Receiver['answer']; settings?: object; home?: TestDatabase; more?: Record<string, object> } = {},
): Promise<RelayUnderTest> {
  const home = given.home ?? (await createTestDatabase(engine))
  const receiver = await startReceiver(given.answer)
  const env = { DATABASE_URL: home.url, ALLOW_PRIVATE_NETWORKS: 'on' }
  let db: Database | undefined
  let isClosed = false
  const relay: RelayUnderTest = {
    home,
    receiver,
    env,
    service: await spawnService(env),
    client: relayClient(() => relay.service.url),
    async restart() {
      relay.service = await spawnService(env)
    },
    relayDb: () => (db ??= openDatabase(relayTarget(home.target))),
    async counts() {
      const counters = await listCounters(relay.relayDb().knex)
      const sum = (key: 'accepted' | 'delivered' | 'dead') => counters.reduce((total, counter) => total + counter[key], 0)
      return { accepted: sum('accepted'), delivered: sum('delivered'), dead: sum('dead') }
    },
    load(senders, send) {
      let isOver = false
      const running = Promise.all(
        Array.from({ length: senders }, async (_, sender) => {
          for (let n = 0; !isOver && !isClosed; n++) await send(sender, n)
        }),
      )
      return {
        async stop() {
          isOver = true
          await running
        },
      }
    },
    async close() {
      // A test that failed has left its load running.
      isClosed = true
      if (relay.service.child.exitCode === null && relay.service.child.signalCode === null) await relay.service.terminate()
      await receiver.close()
      if (db) await closeDatabase(db)
      await home.remove()
    },
  }
  await registerRelay(relay.client, { sink: { url: receiver.url, ...given.settings }, ...given.more })
  return relay
}

/** Sends a call until it is answered with 202: after a kill or while the service starts. @returns the statuses that it got before */
export async function sendUntilAccepted(relay: RelayUnderTest, path: string, body: object): Promise<number[]> {
  const refused: number[] = []
  for (;;) {
    const { status } = await relay.client.call('POST', path, body)
    if (status === 202) return refused
    refused.push(status)
    await sleep(20)
  }
}
