import { expect } from 'chai'
import { eventOf } from '../../../src/relay/kept-request.ts'
import { createDatabaseLog } from '../../../src/relay/log/database-log.ts'
import type { RelayLog } from '../../../src/relay/log/log.ts'
import { listCounters } from '../../../src/store/relay/relay-counters.ts'
import { listDeadLetters } from '../../../src/store/relay/dead-letters.ts'
import { findCursor } from '../../../src/store/relay/relay-cursors.ts'
import type { SignalbookError } from '../../../src/error.ts'
import { onEachEngine } from '../../support/database.ts'
import { storedMessageIds } from '../../support/stored-events.ts'
import { PACKS } from '../../../src/store/relay/event-packs.ts'
import { madeId, newIdPrefix } from '../../../src/store/relay/made-id.ts'
import { findRelayEventsByMessage } from '../../../src/store/relay/relay-event-search.ts'
import { createRelayDatabase, keptBatch, newEvent } from '../support/relay-database.ts'
import type { RelayDatabase } from '../support/relay-database.ts'

onEachEngine((engine) => {
  describe('the database log', () => {
    let home: RelayDatabase
    let log: RelayLog
    let at = 1000

    beforeEach(async () => {
      at = 1000
      home = await createRelayDatabase(engine)
      log = createDatabaseLog({ db: home.db, now: () => at })
    })

    afterEach(async () => {
      await log.close()
      await home.remove()
    })

    const storedIds = async (after = 0) => (await log.read({ destinationId: 7, after, limit: 1000 })).events.map((event) => event.messageId)

    it('stores many parallel appends in few transactions', async () => {
      let commits = 0
      home.db.knex.on('query', ({ sql }: { sql: string }) => {
        if (/^COMMIT/i.test(sql)) commits += 1
      })
      const appends = Array.from({ length: 300 }, (_, n) => log.append([newEvent(`m${n}`, [7])]))
      const results = await Promise.all(appends)
      expect(results.flat()).to.deep.equal(Array(300).fill('stored'))
      expect(await storedIds()).to.have.length(300)
      expect(commits).to.be.lessThan(5)
    })

    it('stores one of fifty parallel appends of one message and calls the others duplicates', async () => {
      const results = await Promise.all(Array.from({ length: 50 }, () => log.append([newEvent('same', [7])])))
      expect(results.flat().filter((result) => result === 'stored')).to.have.length(1)
      expect(results.flat().filter((result) => result === 'duplicate')).to.have.length(49)
      expect(await log.append([newEvent('same', [7])])).to.deep.equal(['duplicate'])
      expect(await storedIds()).to.deep.equal(['same'])
      expect(await listCounters(home.db.knex)).to.deep.equal([{ source: 'web', destinationId: 7, accepted: 1, delivered: 0, dead: 0 }])
    })

    it('says of each event of a batch whether it is a duplicate, also of one within the batch', async () => {
      await log.append([newEvent('b', [7])])
      const results = await log.append(['a', 'b', 'c', 'a'].map((id) => newEvent(id, [7])))
      expect(results).to.deep.equal(['stored', 'duplicate', 'stored', 'duplicate'])
      expect(await storedIds()).to.deep.equal(['b', 'a', 'c'])
    })

    it('tells apart messages that differ in case, accent or a space at the end only', async () => {
      const results = await log.append(['m', 'M', 'ḿ', 'm '].map((id) => newEvent(id, [7])))
      expect(results).to.deep.equal(['stored', 'stored', 'stored', 'stored'])
    })

    it('knows the ids again that it made for a batch, and takes no other for them', async () => {
      const [idPrefix, sent] = [newIdPrefix(), 'an id of the sender']
      await log.append([...keptBatch(3, { idPrefix, ids: [undefined, sent] }), { ...newEvent(madeId(idPrefix, 3), []), idPrefix, verdict: 'quarantined' }])
      expect(await log.append([0, 1, 2, 3, 4].map((place) => newEvent(madeId(idPrefix, place), [7])))).to.deep.equal(['duplicate', 'stored', 'duplicate', 'duplicate', 'stored'])
      expect(await log.append([newEvent(sent, [7])])).to.deep.equal(['duplicate'])
      expect(await log.append([{ ...newEvent(madeId(idPrefix, 0), [7]), source: 'another' }])).to.deep.equal(['stored'])
      expect(await home.db.knex('relay_message_ids').count({ n: '*' }).first()).to.deep.equal({ n: 3 + 3 })
      for (const place of [0, 1, 2, 3, 4]) {
        const found = await findRelayEventsByMessage(home.db.knex, madeId(idPrefix, place))
        expect(found.map(({ messageId, source }) => [messageId, source])).to.deep.equal((place === 0 ? ['another', 'web'] : ['web']).map((source) => [madeId(idPrefix, place), source]))
      }
      expect((await findRelayEventsByMessage(home.db.knex, madeId(idPrefix, 5)))).to.deep.equal([])
    })

    it('looks into a pack once, however many of its ids come back', async () => {
      const idPrefix = newIdPrefix()
      await log.append(keptBatch(2500, { idPrefix }))
      const startedAt = performance.now()
      const results = await log.append(Array.from({ length: 2500 }, (_, place) => newEvent(madeId(idPrefix, place), [7])))
      expect(new Set(results)).to.deep.equal(new Set(['duplicate']))
      expect(performance.now() - startedAt).to.be.lessThan(1000)
    })

    it('forgets made ids with their events', async () => {
      const idPrefix = newIdPrefix()
      await log.append(keptBatch(2, { idPrefix, destinationIds: [] }))
      at += 10_000
      expect(await log.prune(1000)).to.equal(2)
      expect(await home.db.knex('relay_message_ids').count({ n: '*' }).first()).to.deep.equal({ n: 0 })
      expect(await log.append([newEvent(madeId(idPrefix, 0), [])])).to.deep.equal(['stored'])
    })

    it('stores a batch whole or not at all', async () => {
      const faulty = { ...newEvent('x', []), verdict: 'quarantined' as const, receivedAt: null as unknown as number }
      const batch = log.append([newEvent('a', [7]), faulty, newEvent('b', [7])]).catch(() => 'refused')
      const neighbour = log.append([newEvent('n', [7])])
      expect(await batch).to.equal('refused')
      expect(await neighbour).to.deep.equal(['stored'])
      expect(await storedIds()).to.deep.equal(['n'])
      expect((await listCounters(home.db.knex))[0]).to.include({ accepted: 1 })
    })

    it('stores batches of thousands of events', async () => {
      const results = await log.append(Array.from({ length: 2500 }, (_, n) => newEvent(`m${n}`, [7, 8])))
      expect(results.filter((result) => result === 'stored')).to.have.length(2500)
      expect((await log.read({ destinationId: 8, after: 2400, limit: 1000 })).events).to.have.length(100)
    })

    it('answers unavailable, and never a fault, while the database cannot be written', async () => {
      const other = home.openAnother()
      const lock = await other.knex.transaction()
      await lock('relay_sequence').update({ last: 0 })
      const short = createDatabaseLog({ db: home.db, now: () => at, limits: { commitTimeoutMs: 200 } })
      const refused = await short.append([newEvent('a', [7])]).catch((error: SignalbookError) => error)
      expect(refused).to.include({ code: 'unavailable', retryAfterSeconds: 2 })
      await lock.rollback()
      await short.close()
    })

    it('shows a destination only its own events, in order, and how far it looked', async () => {
      await log.append([newEvent('a', [7]), newEvent('b', [17]), newEvent('c', [1, 7, 70]), newEvent('d', [])])
      expect(await storedIds()).to.deep.equal(['a', 'c'])
      expect((await log.read({ destinationId: 7, after: 0, limit: 1 })).scannedTo).to.equal(1)
      expect((await log.read({ destinationId: 7, after: 1, limit: 10 })).scannedTo).to.equal(4)
      expect(await log.read({ destinationId: 7, after: 4, limit: 10 })).to.deep.equal({ events: [], scannedTo: 4 })
    })

    it('reads on from any place within a pack, in any portions, past what is quarantined or a duplicate', async () => {
      await log.append([newEvent('m3', [7])])
      const quarantined = { ...newEvent('m10', []), verdict: 'quarantined' as const }
      await log.append([...Array.from({ length: 400 }, (_, n) => (n === 10 ? quarantined : newEvent(`m${n}`, n % 5 === 0 ? [8] : [7, 8])))])
      const wanted = Array.from({ length: 400 }, (_, n) => `m${n}`).filter((id, n) => n % 5 !== 0 && id !== 'm3')
      for (const limit of [1, 7, 100, 1000]) {
        const found: string[] = []
        for (let after = 1; after < 401; ) {
          const { events, scannedTo } = await log.read({ destinationId: 7, after, limit })
          expect(scannedTo).to.be.greaterThan(after)
          found.push(...events.map((event) => event.messageId))
          after = scannedTo
        }
        expect(found, `${limit} at a time`).to.deep.equal(wanted)
      }
    })

    it('reads a pack once for the destinations that keep pace with each other', async () => {
      await log.append(Array.from({ length: 300 }, (_, n) => newEvent(`m${n}`, [7, 8])))
      let looks = 0
      home.db.knex.on('query', ({ sql }: { sql: string }) => {
        if (/relay_packs. where .last_seq. in/.test(sql)) looks += 1
      })
      const pages = await Promise.all([7, 8].map((destinationId) => log.read({ destinationId, after: 0, limit: 1000 })))
      expect(pages[0]?.events).to.have.length(300)
      expect(pages[1]).to.deep.equal(pages[0])
      expect(looks).to.equal(1)
    })

    it('tells every reader that packs could not be read, and reads them afterwards', async () => {
      await log.append(Array.from({ length: 600 }, (_, n) => newEvent(`m${n}`, [7, 8])))
      const read = (destinationId: number) => log.read({ destinationId, after: 0, limit: 1000 }).then(({ events }) => events.length, () => 'failed')
      const unheard: unknown[] = []
      const hear = (reason: unknown) => void unheard.push(reason)
      process.prependListener('unhandledRejection', hear)
      await home.db.knex.schema.alterTable(PACKS, (table) => table.renameColumn('events', 'away'))
      expect(await Promise.all([read(7), read(8)])).to.deep.equal(['failed', 'failed'])
      await home.db.knex.schema.alterTable(PACKS, (table) => table.renameColumn('away', 'events'))
      expect(await Promise.all([read(7), read(8)])).to.deep.equal([600, 600])
      process.off('unhandledRejection', hear)
      expect(unheard, 'would end the process').to.deep.equal([])
    })

    it('shows an event at the end of the stretch that one read looks through once, however far the log goes on', async () => {
      const rare = (n: number) => [19_900, 19_960, 20_100].includes(n)
      const every = Array.from({ length: 20_300 }, (_, n) => newEvent(`m${n + 1}`, rare(n + 1) ? [7] : []))
      for (let done = 0; done < every.length; done += 2560) await log.append(every.slice(done, done + 2560))
      const found: string[] = []
      for (let after = 0; after < 20_300; ) {
        const { events, scannedTo } = await log.read({ destinationId: 7, after, limit: 100 })
        expect(scannedTo).to.be.greaterThan(after)
        found.push(...events.map((event) => event.messageId))
        after = scannedTo
      }
      expect(found).to.deep.equal(['m19900', 'm19960', 'm20100'])
    })

    it('reads a large batch once, also across the end of the stretch that one read looks through', async () => {
      for (let done = 0; done < 19_000; done += 2375) await log.append(Array.from({ length: 2375 }, (_, n) => newEvent(`m${done + n}`, [])))
      await log.append(keptBatch(2500))
      const found: unknown[] = []
      for (let after = 0; after < 21_500; ) {
        const { events, scannedTo } = await log.read({ destinationId: 7, after, limit: 900 })
        expect(scannedTo).to.be.greaterThan(after)
        found.push(...events.map((event) => eventOf(event).properties?.['n']))
        after = scannedTo
      }
      expect(found).to.deep.equal(Array.from({ length: 2500 }, (_, n) => n))
    })

    it('tells its listeners which destinations got something', async () => {
      const heard: number[][] = []
      const stop = log.onGrown((ids) => heard.push([...ids].sort()))
      await log.append([newEvent('a', [7, 8])])
      await log.append([newEvent('a', [7, 8])])
      stop()
      await log.append([newEvent('b', [7])])
      expect(heard).to.deep.equal([[7, 8]])
    })

    it('gives a lease to one token at a time, and to another once it ran out', async () => {
      await log.append([newEvent('a', [7])])
      expect(await log.claim({ destinationId: 7, token: 'one' }, 100)).to.include({ position: 0 })
      expect(await log.claim({ destinationId: 7, token: 'two' }, 100)).to.equal(undefined)
      expect(await log.renew({ destinationId: 7, token: 'one' }, 200)).to.equal(true)
      at += 150
      expect(await log.claim({ destinationId: 7, token: 'two' }, 100)).to.equal(undefined)
      at += 100
      expect(await log.claim({ destinationId: 7, token: 'two' }, 100)).to.include({ position: 0 })
      expect(await log.renew({ destinationId: 7, token: 'one' }, 200)).to.equal(false)
    })

    it('settles cursor, counters and dead letters together, and nothing at all for a stale token', async () => {
      await log.append([newEvent('a', [7]), newEvent('b', [7])])
      const stale = { destinationId: 7, token: 'one' }
      await log.claim(stale, 100)
      at += 200
      const lease = { destinationId: 7, token: 'two' }
      await log.claim(lease, 100)
      const { source, messageId, type, eventName, receivedAt, event } = newEvent('b', [7])
      const settlement = {
        position: 2,
        counters: [{ source: 'web', destinationId: 7, delivered: 1, dead: 1 }],
        deadLetters: [{ source, messageId, type, eventName, receivedAt, event, seq: 2, destinationId: 7, destination: 'crm', code: 'rejected', reason: 'no', attempts: 1, failedAt: at }],
      }
      expect(await log.settle(stale, settlement)).to.equal(false)
      expect(await findCursor(home.db.knex, 7)).to.include({ position: 0 })
      expect(await listDeadLetters(home.db.knex, { limit: 10 })).to.deep.equal([])
      expect(await log.settle(lease, settlement)).to.equal(true)
      expect(await findCursor(home.db.knex, 7)).to.include({ position: 2 })
      expect(await listCounters(home.db.knex)).to.deep.equal([{ source: 'web', destinationId: 7, accepted: 2, delivered: 1, dead: 1 }])
      expect(await listDeadLetters(home.db.knex, { limit: 10 })).to.have.length(1)
    })

    it('prunes what is old and past every cursor, and keeps what is quarantined', async () => {
      const quarantined = { ...newEvent('q', []), verdict: 'quarantined' as const }
      await log.append([newEvent('a', [7]), quarantined, newEvent('b', [7])])
      await log.append([newEvent('c', [8])])
      await log.ensureCursors([7, 8])
      for (const [destinationId, position] of [[7, 3], [8, 4]] as const) {
        await log.claim({ destinationId, token: 't' }, 100)
        await log.settle({ destinationId, token: 't' }, { position })
      }
      expect(await log.prune(100)).to.equal(0)
      at += 200
      expect(await log.prune(100)).to.equal(2)
      expect(await storedMessageIds(home.db.knex)).to.deep.equal(['q', 'c'])
      expect((await log.append(['a', 'q', 'c'].map((id) => newEvent(id, [])))), 'what is pruned is forgotten').to.deep.equal(['stored', 'duplicate', 'duplicate'])
    })

    it('starts a new cursor before the oldest event that is left', async () => {
      await log.append([newEvent('a', [7])])
      await log.append([newEvent('b', [7])])
      await home.db.knex(PACKS).where('last_seq', 1).delete()
      await log.ensureCursors([9])
      expect(await findCursor(home.db.knex, 9)).to.include({ position: 1 })
      await home.db.knex(PACKS).delete()
      await log.ensureCursors([10])
      expect(await findCursor(home.db.knex, 10)).to.include({ position: 2 })
    })

    it('forgets the cursor and the counters of a destination that is gone', async () => {
      await log.append([newEvent('a', [7, 8])])
      await log.ensureCursors([7, 8])
      await log.forget(7)
      expect(await log.knownDestinations()).to.deep.equal([8])
      expect((await listCounters(home.db.knex)).map((counter) => counter.destinationId)).to.deep.equal([8])
    })
  })
})
