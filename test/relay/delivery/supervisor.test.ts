import { expect } from 'chai'
import { onEachEngine } from '../../support/database.ts'
import { newEvent, until } from '../support/relay-database.ts'
import { createRelayRig } from '../support/relay-rig.ts'
import type { RelayRig } from '../support/relay-rig.ts'
import { testDestination, testSource } from '../support/snapshot.ts'
import { storedMessageIds } from '../../support/stored-events.ts'

const track = (id: string, fields: object = {}) => ({ type: 'track', event_name: 'E', message_id: id, ...fields })
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

onEachEngine((engine) => {
  describe('the supervisor', () => {
    let rig: RelayRig

    beforeEach(async () => {
      rig = await createRelayRig(engine)
      rig.registry.sources.push(testSource('web', ['a', 'b']))
    })

    afterEach(() => rig.close())

    it('delivers what is accepted to every destination of its source', async () => {
      const [a, b] = [await rig.receiver(), await rig.receiver()]
      rig.registry.destinations.push(testDestination(1, 'a', { url: a.url }), testDestination(2, 'b', { url: b.url }))
      rig.supervise()
      await rig.send([track('m1'), track('m2')])
      await until(() => a.taken().length === 2 && b.taken().length === 2)
    })

    it('gives a destination the events from the moment it exists, and not those from before', async () => {
      const [a, b] = [await rig.receiver(), await rig.receiver()]
      rig.registry.destinations.push(testDestination(1, 'a', { url: a.url }))
      const supervisor = rig.supervise()
      await rig.send([track('before')])
      rig.registry.destinations.push(testDestination(2, 'b', { url: b.url }))
      // Accepted before any worker of the new destination has begun.
      await rig.send([track('after')])
      await supervisor.sync()
      await until(() => a.taken().length === 2 && b.taken().length === 1)
      expect(b.taken()).to.deep.equal(['after'])
    })

    it('follows a changed destination, and pauses and resumes it', async () => {
      const [old, fresh] = [await rig.receiver(), await rig.receiver()]
      const destination = testDestination(1, 'a', { url: old.url })
      rig.registry.destinations = [destination]
      const supervisor = rig.supervise()
      await rig.send([track('m1')])
      await until(() => old.taken().length === 1)
      rig.registry.destinations = [{ ...destination, generation: 2, pausedAt: 5, config: { url: fresh.url } }]
      await supervisor.sync()
      await rig.send([track('m2')])
      await pause(150)
      expect(fresh.requests).to.have.length(0)
      rig.registry.destinations = [{ ...destination, generation: 3, config: { url: fresh.url } }]
      await supervisor.sync()
      await until(() => fresh.taken().length === 1)
      expect([old.taken(), fresh.taken()]).to.deep.equal([['m1'], ['m2']])
    })

    it('drops what waits for a destination that is removed', async () => {
      const hanging = await rig.receiver(() => 'hang')
      rig.registry.destinations = [testDestination(1, 'a', { url: hanging.url })]
      const supervisor = rig.supervise()
      await rig.send([track('m1')])
      await until(() => hanging.requests.length === 1)
      rig.registry.destinations = []
      await supervisor.sync()
      await until(async () => (await rig.log.knownDestinations()).length === 0, 'the cursor to go')
      expect(await rig.counts(1)).to.equal('0 0 0')
    })

    it('finds what another process wrote', async () => {
      const a = await rig.receiver()
      rig.registry.destinations = [testDestination(1, 'a', { url: a.url })]
      rig.supervise()
      await pause(100)
      await rig.openAnotherLog().append([newEvent('foreign', [1])])
      await until(() => a.taken().length === 1)
    })

    it('prunes what is delivered and old', async () => {
      const a = await rig.receiver()
      rig.registry.destinations = [testDestination(1, 'a', { url: a.url })]
      rig.registry.settings = { ...rig.registry.settings, relayRetentionMs: 60_000 }
      rig.supervise({ pruneMs: 10 })
      await rig.send([track('m1')])
      await until(async () => (await rig.counts(1)) === '1 1 0')
      rig.clock.offsetMs = 61_000
      await until(async () => (await storedMessageIds(rig.db.knex)).length === 0, 'the row to go')
      expect((await rig.send([track('m1')]))[0]?.status).to.equal('accepted')
    })

    it('goes on after the log could not be read for a while', async () => {
      const a = await rig.receiver()
      rig.registry.destinations = [testDestination(1, 'a', { url: a.url })]
      rig.supervise()
      await rig.db.knex.schema.renameTable('relay_sequence', 'relay_sequence_away')
      await pause(200)
      await rig.db.knex.schema.renameTable('relay_sequence_away', 'relay_sequence')
      await rig.send([track('m1')])
      await until(() => a.taken().length === 1)
    })
  })
})
