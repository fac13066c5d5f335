import { randomInt } from 'node:crypto'
import { expect } from 'chai'
import { Webhook as Verifier } from 'standardwebhooks'
import { eventually } from '../admin/support/eventually.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Received } from '../relay/support/receiver.ts'
import { onEachEngine } from '../support/database.ts'
import { DAY, MINUTE } from '../../src/duration.ts'
import { findSigningSecrets, forgetEndedSecrets } from '../../src/store/webhook-secrets.ts'
import { rotateSecret } from '../../src/webhooks/rotate-secret.ts'
import { openOutbox } from './outbox.ts'

const WEBHOOKS = 20
const ANNOUNCEMENTS = 50
const ACTOR = { name: 'root' }

onEachEngine((engine) => {
  describe('1,000 deliveries', function () {
    this.timeout(120_000)

    it('are verified by the library of Standard Webhooks, by both secrets where one was rotated, and refused after one flipped byte', async () => {
      const outbox = await openOutbox(engine)
      outbox.clock.now = Date.now()
      const received = new Map<string, Received[]>()
      const receivers = await Promise.all(Array.from({ length: WEBHOOKS }, () => startReceiver()))
      try {
        const secrets = new Map<string, string[]>()
        for (const [index, { url }] of receivers.entries()) {
          const { id, secret } = await outbox.addWebhook(url)
          const rotated = index % 2 === 0 ? [] : [(await rotateSecret({ db: outbox.db, now: () => outbox.clock.now }, ACTOR, { id, overlap: '24h' })).secret]
          secrets.set(url, [...rotated, secret])
        }
        for (let count = 0; count < ANNOUNCEMENTS; count++) await outbox.announce(`Number ${count}: äöü 🛒 ${'x'.repeat(count)}`)
        outbox.startDispatcher()
        await eventually('all have arrived', () => receivers.every(({ requests }) => requests.length === ANNOUNCEMENTS), 90_000)
        for (const { url, requests } of receivers) received.set(url, requests)

        let verified = 0
        for (const [url, requests] of received) {
          for (const { body, headers } of requests) {
            const sent = headers as Record<string, string>
            const keys = secrets.get(url) as string[]
            expect((sent['webhook-signature'] as string).split(' ')).to.have.length(keys.length)
            const flipped = Buffer.from(body)
            const at = randomInt(flipped.length)
            flipped[at] = (flipped[at] as number) ^ (1 << randomInt(8))
            for (const key of keys) {
              const verifier = new Verifier(key)
              expect(verifier.verify(body, sent)).to.deep.equal(JSON.parse(body))
              expect(() => verifier.verify(flipped, sent), `byte ${at} of ${body}`).to.throw()
              expect(() => verifier.verify(body, { ...sent, 'webhook-id': `${sent['webhook-id']}x` })).to.throw()
            }
            verified += 1
          }
        }
        expect(verified).to.equal(WEBHOOKS * ANNOUNCEMENTS)
      } finally {
        await outbox.close()
        for (const receiver of receivers) await receiver.close()
      }
    })
  })

  describe('a replaced secret', () => {
    it('signs to the last millisecond of the overlap, and is forgotten after it', async () => {
      const outbox = await openOutbox(engine)
      try {
        const { id, secret } = await outbox.addWebhook('https://example.com/')
        const { secret: next } = await rotateSecret({ db: outbox.db, now: () => outbox.clock.now }, ACTOR, { id, overlap: '1d' })
        const end = outbox.clock.now + DAY
        expect(await findSigningSecrets(outbox.db.knex, id, end - 1)).to.deep.equal([next, secret])
        expect(await findSigningSecrets(outbox.db.knex, id, end)).to.deep.equal([next])
        await forgetEndedSecrets(outbox.db.knex, end - 1)
        expect(await findSigningSecrets(outbox.db.knex, id, end - MINUTE)).to.deep.equal([next, secret])
        await forgetEndedSecrets(outbox.db.knex, end)
        expect(JSON.stringify(await outbox.db.knex('webhooks'))).not.to.contain(secret)
      } finally {
        await outbox.close()
      }
    })
  })
})
