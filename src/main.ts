import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import type { Logger } from 'pino'
import { startKeyUsage } from './admin/key-usage.ts'
import type { Config } from './config.ts'
import { guardAddresses } from './destinations/guard-addresses.ts'
import { maskConfig, unmaskConfig } from './destinations/mask.ts'
import { providerNamed } from './destinations/registry.ts'
import { createApp } from './http/app.ts'
import { createHandlers } from './http/handlers.ts'
import { createHealthProbe } from './http/health-probe.ts'
import { createTokenCheck } from './http/metrics-token.ts'
import { createRequestLimits } from './http/request-limits.ts'
import { timeRequests } from './http/request-timing.ts'
import { closeHttpServer, createHttpServer } from './http/server.ts'
import { startMaintenance } from './maintenance.ts'
import { assertCallable } from './outgoing/assert-callable.ts'
import { createServiceMetrics } from './metrics/service-metrics.ts'
import type { ServiceMetrics } from './metrics/service-metrics.ts'
import { createSender } from './outgoing/send.ts'
import { createAttemptJournal } from './relay/delivery/attempt-journal.ts'
import { newIdPrefix } from './store/relay/made-id.ts'
import { startSupervisor } from './relay/delivery/supervisor.ts'
import type { Supervisor } from './relay/delivery/supervisor.ts'
import { listDeliveries, listHaltReasons } from './relay/operate/deliveries.ts'
import { createDatabaseLog } from './relay/log/database-log.ts'
import { secretKeepingWith } from './secret-keeping.ts'
import { createSnapshotHolder } from './snapshot/holder.ts'
import { createReadMemory } from './snapshot/read-memory.ts'
import { checkClock, checkDataDirectory, checkSecrets, dataDirectoryOf } from './startup-checks.ts'
import { change } from './store/change.ts'
import { closeDatabase, openDatabase } from './store/db.ts'
import type { Database } from './store/db.ts'
import { migrate } from './store/migrate.ts'
import { registryMigrations } from './store/migrations/registry/index.ts'
import { relayMigrations } from './store/migrations/relay/index.ts'
import { lockRevision, openRevisionReader } from './store/revision.ts'
import { readFlushMark } from './store/relay/relay-flush-mark.ts'
import { relayTarget } from './store/relay/relay-target.ts'
import { takeSequence } from './store/relay/relay-sequence.ts'
import { announce } from './webhooks/announce.ts'
import { startDispatcher } from './webhooks/dispatcher.ts'

/** The running service. */
export interface Service {
  url: string
  /** For people: where it listens, which database, and how to make the first key while there is none. */
  greeting: string
  /** Accepts nothing more, finishes what is under way, settles deliveries and closes; takes at most about 10 s. Asked twice, it stops once. */
  stop: () => Promise<void>
}

/** Puts the parts together and starts them. @throws Error when the database cannot be used or its commits could be lost */
export async function startService(config: Config, options: { validateResponses?: boolean } = {}): Promise<Service> {
  const { log, requestLog } = createLoggers(config.logLevel)
  const now = Date.now
  const startedAt = now()
  await checkDataDirectory(config.database, log.warn.bind(log))
  const db = openDatabase(config.database, secretKeepingWith(config.encryptionKeys))
  const relayDb = openDatabase(relayTarget(config.database))
  // What was opened is closed in the opposite order, also when the start fails half way.
  const closers: (() => Promise<void>)[] = [() => closeDatabase(db), () => closeDatabase(relayDb)]
  const closeAll = async () => {
    for (const close of closers.toReversed()) await close()
  }
  try {
    await migrate(db, registryMigrations, 'schema_migrations')
    await migrate(relayDb, relayMigrations, 'relay_schema_migrations')
    for (const database of [db, relayDb]) await assertDurable(database)
    await checkClock({ db, relayDb }, now(), log.warn.bind(log))
    await checkSecrets(db)

    const revision = openRevisionReader(db)
    closers.push(() => revision.close())
    const snapshots = createSnapshotHolder(db, revision.read)
    const keyUsage = startKeyUsage({ db, warn: log.warn.bind(log) })
    closers.push(() => keyUsage.stop())
    const metrics = createServiceMetrics({ version: readVersion(), startedAt, now })
    const relayLog = createDatabaseLog({ db: relayDb, now, onCommitted: (group) => metrics.committed(group) })
    closers.push(() => relayLog.close())
    const sender = createSender({ allowPrivateNetworks: config.allowPrivateNetworks })
    closers.push(async () => sender.close())
    closers.push(startMaintenance({ db, snapshots, now, warn: log.warn.bind(log) }))

    const delivers = config.role !== 'api'
    const supervisor = delivers ? startDeliveries({ config, logger: log, holder: snapshots, relayDb, log: relayLog, sender, meter: metrics }) : undefined
    const dispatcher = delivers ? startDispatcher({ db, now, newId: randomUUID, random: Math.random, log, send: sendWebhook(sender) }) : undefined
    // Both at once: each waits some seconds for what it has under way.
    closers.push(async () => void (await Promise.all([supervisor?.stop(), dispatcher?.stop()])))

    const checkAddress = (address: string, name: string) => assertCallable(address, name, config)
    let acceptsWork = true
    const handlers = createHandlers({
      db,
      memory: createReadMemory(),
      relayDb,
      relayLog,
      snapshots,
      now,
      newIdPrefix,
      random: Math.random,
      flushDeliveries: (mark) => supervisor?.flush(mark),
      applyDestinations: async () => supervisor?.sync(),
      audit: (actor, facts) => change({ db, now }, actor, async () => ({ result: undefined, facts })),
      haltReasons: () => listHaltReasons({ relayDb, snapshots }),
      announce: async (tx, announcement) => {
        await announce(tx, { id: `msg_${randomUUID()}`, ...announcement })
        // The transaction is still open: look for the new deliveries a moment later.
        setTimeout(() => dispatcher?.wake(), 20).unref()
      },
      wakeWebhooks: () => dispatcher?.wake(),
      intake: metrics,
      renderMetrics: async () => metrics.render(await listDeliveries({ relayDb, snapshots }).catch(() => undefined)),
      assertCallable: checkAddress,
      providers: { named: (name) => guardAddresses(providerNamed(name), checkAddress), mask: maskConfig, unmask: unmaskConfig },
      health: {
        probe: createHealthProbe(() => writeHarmlessly(db, relayDb), now),
        now,
        startedAt,
        version: readVersion(),
        acceptsWork: () => acceptsWork,
      },
    })
    const app = createApp({
      handlers,
      snapshots,
      now,
      holdsToken: createTokenCheck(config.metricsToken),
      noteUse: (keyId, at) => keyUsage.note(keyId, at),
      limits: createRequestLimits({ authFailuresPerMinute: config.authFailuresPerMinute, now: () => performance.now() }),
      log,
      requestLog,
      trustProxy: config.trustProxy,
      isUnavailable: (error) => db.dialect.isUnavailable(error),
      validateResponses: options.validateResponses ?? false,
    })
    const server = createHttpServer(app)
    timeRequests(server, (operation, status, ms) => metrics.answered(operation, status, ms))
    await new Promise<void>((listening, failed) => server.once('error', failed).listen(config.port, config.host, listening))
    closers.push(() => closeHttpServer(server))

    const { port } = server.address() as AddressInfo
    const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
    const greeting = greet(url, db.dialect.label, (await snapshots.current()).awaitsFirstKey)
    let stopping: Promise<void> | undefined
    return {
      url,
      greeting,
      stop() {
        acceptsWork = false
        return (stopping ??= closeAll())
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}

function startDeliveries(deps: {
  config: Config
  logger: Logger
  holder: ReturnType<typeof createSnapshotHolder>
  relayDb: Database
  log: ReturnType<typeof createDatabaseLog>
  sender: ReturnType<typeof createSender>
  meter: ServiceMetrics
}): Supervisor {
  const { config, relayDb, sender } = deps
  return startSupervisor({
    holder: deps.holder,
    log: deps.log,
    meter: deps.meter,
    attempts: createAttemptJournal(relayDb),
    flushMark: () => readFlushMark(relayDb.knex),
    logger: deps.logger,
    send: (request, signal) => sender.send(request, signal),
    now: Date.now,
    random: Math.random,
    newId: randomUUID,
    environment: { dataDirectory: dataDirectoryOf(config.database) ?? resolve('data'), stdout: process.stdout },
  })
}

function sendWebhook(sender: ReturnType<typeof createSender>): Parameters<typeof startDispatcher>[0]['send'] {
  return async (request, signal) => {
    const answer = await sender.send(request, signal)
    return answer.kind === 'answer' ? { status: answer.status, body: answer.body } : { error: answer.message }
  }
}

// A write per request line costs as much as all the rest of the line; a dying process writes what is left.
const LOG_CHUNK_BYTES = 8192
const LOG_DELAY_MS = 100

// Secrets never come near a log line; these two are the last net under a careless one.
function createLoggers(level: string): { log: Logger; requestLog: Logger } {
  const destination = pino.destination({ fd: 2, sync: false, minLength: LOG_CHUNK_BYTES, periodicFlush: LOG_DELAY_MS })
  return {
    log: pino({ level, redact: ['*.authorization', '*.api_key', '*.secret'] }, destination),
    // A request's line has a few fields of ours, and looking for secrets in it costs as much as writing it.
    requestLog: pino({ level }, destination),
  }
}

async function assertDurable(database: Database): Promise<void> {
  const fault = await database.dialect.explainLossyCommits(database.knex)
  if (fault) throw new Error(`${database.dialect.label} could lose events that were answered with 202: ${fault}`)
}

/** Proves that both databases take writes. */
async function writeHarmlessly(db: Database, relayDb: Database): Promise<void> {
  await db.knex.transaction(lockRevision)
  await relayDb.knex.transaction((tx) => takeSequence(tx, 0))
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

function greet(url: string, database: string, awaitsFirstKey: boolean): string {
  const firstKey = `\nNo key exists yet. Make the first one, which is an admin's:\n  curl -s ${url}/v1/admin/keys -H 'Content-Type: application/json' -d '{"role":"admin"}'`
  return `Signalbook listens on ${url} with ${database}; the contract is at ${url}/v1/openapi.json${awaitsFirstKey ? firstKey : ''}`
}
