import { expect } from 'chai'
import { until } from '../relay/support/relay-database.ts'
import { createRig } from '../relay/support/rig.ts'
import type { Rig } from '../relay/support/rig.ts'
import { newEvent } from '../relay/support/relay-database.ts'
import { testDestination } from '../relay/support/snapshot.ts'
import { amount } from '../support/amount.ts'
import { onEachEngine } from '../support/database.ts'

const EVENTS = amount('R13_EVENTS', 1000, 1000)
const PER_APPEND = 250

onEachEngine((engine) => {
  describe('one event in a hundred that makes the encoder throw', function () {
    this.timeout(60_000 + EVENTS * 10)
    let rig: Rig
    beforeEach(async () => {
      rig = await createRig(engine)
    })
    afterEach(() => rig.close())

    for (const [where, provider] of [['in the text of the event', 'http'], ['in a value that the provider did not expect', 'mixpanel']] as const) {
      it(`stops none of ${EVENTS}: the others arrive, it is a dead letter with its reason (${where})`, async () => {
        const arrived = new Set<string>()
        const receiver = await rig.receiver(({ body }) => {
          for (const id of body.match(/m\d+x/g) ?? []) arrived.add(id)
          return { status: 200, body: '{"code":200,"status":1}' }
        })
        const isPoison = (n: number) => n % 100 === 37
        const event = (n: number) => {
          const sound = newEvent(`m${n}x`, [7], { user_id: `u${n}`, properties: { label: `m${n}x` } })
          if (!isPoison(n)) return sound
          return { ...sound, event: provider === 'http' ? '{"type":' : JSON.stringify({ ...JSON.parse(sound.event), properties: null, timestamp: null, context: null }) }
        }
        rig.start(testDestination(7, 'vendor', provider === 'http' ? { url: receiver.url, batch: true, batch_size: 50 } : { api_key: 'token', endpoint: receiver.url }, provider))
        for (let n = 0; n < EVENTS; n += PER_APPEND) await rig.log.append(Array.from({ length: Math.min(PER_APPEND, EVENTS - n) }, (_, k) => event(n + k)))
        const poison = Array.from({ length: EVENTS }, (_, n) => n).filter(isPoison).map((n) => `m${n}x`)
        await until(async () => (await rig.counts(7)) === `${EVENTS} ${EVENTS - poison.length} ${poison.length}`, 'all being settled', 40_000)
        expect((await rig.deadLetters()).map(({ messageId }) => messageId)).to.deep.equal(poison)
        for (const letter of await rig.deadLetters()) expect([letter.code, letter.reason].join(' ')).to.match(/^encoder_failed the event could not be encoded: ./)
        expect(arrived.size).to.equal(EVENTS - poison.length)
      })
    }
  })
})
