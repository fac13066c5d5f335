import { expect } from 'chai'
import { until } from '../relay/support/relay-database.ts'
import { onEachEngine } from '../support/database.ts'
import { startRelayUnderTest } from '../support/relay-under-test.ts'
import { storedMessageIds } from '../support/stored-events.ts'
import type { RelayUnderTest } from '../support/relay-under-test.ts'

const POSTS = 50

onEachEngine((engine) => {
  describe('one message_id', function () {
    this.timeout(90_000)
    let relay: RelayUnderTest
    before(async () => {
      relay = await startRelayUnderTest(engine)
    })
    after(() => relay.close())

    const post = () => relay.client.call('POST', '/v1/page', { source: 'web', name: 'Home', message_id: 'same' })
    const statuses = (answers: { status: number; body: unknown }[]) => answers.map(({ status, body }) => `${status} ${(body as { status?: string } | undefined)?.status}`)

    it(`sent ${POSTS} times at once is answered with 202 each time and stored once, also after kill -9`, async () => {
      const answers = statuses(await Promise.all(Array.from({ length: POSTS }, post)))
      expect(answers.filter((answer) => answer === '202 accepted')).to.have.length(1)
      expect(answers.filter((answer) => answer === '202 duplicate')).to.have.length(POSTS - 1)
      await until(() => relay.receiver.taken().length === 1, 'the delivery')
      await relay.service.kill()
      await relay.restart()
      expect(statuses(await Promise.all(Array.from({ length: POSTS }, post)))).to.deep.equal(Array(POSTS).fill('202 duplicate'))
      expect(await storedMessageIds(relay.relayDb().knex)).to.deep.equal(['same'])
      expect((await relay.counts()).accepted).to.equal(1)
      // A crash between the answer of the receiver and its note may repeat the delivery, under the same id.
      expect(new Set(relay.receiver.taken())).to.deep.equal(new Set(['same']))
    })
  })
})
