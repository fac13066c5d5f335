import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Webhook as Verifier } from 'standardwebhooks'
import { signalbook } from '../cli/command-line.ts'
import type { CommandEnd } from '../cli/command-line.ts'
import { startReceiver } from '../relay/support/receiver.ts'
import type { Receiver } from '../relay/support/receiver.ts'
import { closeDatabase, openDatabase } from '../../src/store/db.ts'
import { eventually } from '../admin/support/eventually.ts'
import { onEachEngine } from '../support/database.ts'
import { startOn, startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const OLD = randomBytes(32)
const NEW = randomBytes(32)

/** What stands in the tables. */
async function stored(server: TestServer): Promise<{ config: string; secret: string }> {
  const db = openDatabase(server.home.target)
  try {
    const destination = await db.knex<{ config: string }>('destinations').first('config')
    const webhook = await db.knex<{ secret: string }>('webhooks').first('secret')
    return { config: destination?.config ?? '', secret: webhook?.secret ?? '' }
  } finally {
    await closeDatabase(db)
  }
}

function rotate(server: TestServer, ...keys: Buffer[]): Promise<CommandEnd> {
  return signalbook(['secrets', 'rotate'], { DATABASE_URL: server.home.url, ENCRYPTION_KEY: keys.map((key) => key.toString('base64')).join(',') })
}

async function faultOfStart(start: Promise<unknown>): Promise<string> {
  try {
    await start
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

onEachEngine((engine) => {
  describe('secrets at rest', function () {
    this.timeout(60_000)
    let receiver: Receiver
    let server: TestServer
    let webhookSecret: string

    /** Registers a destination with two kinds of secret and a webhook, both at the receiver. */
    const begin = async (encryptionKeys: Buffer[]) => {
      receiver = await startReceiver()
      server = await startTestServer(engine, { encryptionKeys })
      const config = { url: receiver.url, headers: { 'X-Token': 'planted-header' }, api_key: 'planted-key' }
      expect((await server.call('post', '/v1/admin/destinations').send({ name: 'sink', provider: 'http', config })).status).to.equal(201)
      await server.call('post', '/v1/admin/sources').send({ name: 'web', destinations: ['sink'] })
      webhookSecret = ((await server.call('post', '/v1/webhooks').send({ url: receiver.url })).body as { secret: string }).secret
    }
    afterEach(async () => {
      await server.stop()
      await receiver.close()
    })

    let version = 0
    /** Sends one event and publishes one spec: the receiver must get both, with the secrets that were registered. */
    const expectWorking = async () => {
      const before = receiver.requests.length
      expect((await server.call('post', '/v1/page').send({ source: 'web', name: 'Home' })).status).to.equal(202)
      version += 1
      expect((await server.call('post', '/v1/events').send({ namespace: 'shop', name: `paid_${version}` })).status).to.equal(201)
      await eventually('both arrive', () => receiver.requests.length >= before + 2)
      const [event] = receiver.requests.slice(before).filter(({ headers }) => headers['x-token'] !== undefined)
      const [hook] = receiver.requests.slice(before).filter(({ headers }) => headers['webhook-signature'] !== undefined)
      expect(event?.headers).to.include({ 'x-token': 'planted-header', authorization: 'Bearer planted-key' })
      expect(() => new Verifier(webhookSecret).verify(hook?.body ?? '', hook?.headers as Record<string, string>)).not.to.throw()
    }
    const expectSealed = async () => {
      const { config, secret } = await stored(server)
      expect(`${config}${secret}`).not.to.match(/planted|whsec_/)
      expect(config.match(/enc:v1:/g)).to.have.length(2)
      expect(secret).to.match(/^enc:v1:/)
      expect(config).to.include(receiver.url)
    }

    it('are encrypted under a key, and used and masked as without', async () => {
      await begin([OLD])
      await expectSealed()
      await expectWorking()
      const { config } = (await server.call('get', '/v1/admin/destinations/sink')).body as { config: object }
      expect(config).to.include({ api_key: '********' }).and.to.deep.include({ headers: { 'X-Token': '********' } })
      const answer = await server.call('put', '/v1/admin/destinations/sink').send({ name: 'sink', provider: 'http', config })
      expect(answer.status, answer.text).to.equal(200)
      await expectSealed()
      await expectWorking()
    })

    it('stop the start in a sentence when the key is missing or another', async () => {
      await begin([OLD])
      const without = await faultOfStart(startOn(server.home, { encryptionKeys: [] }))
      expect(without).to.match(/ENCRYPTION_KEY is not set, but the database holds secrets that are encrypted with the key [0-9a-f]{8}/)
      const wrong = await signalbook(['start'], { DATABASE_URL: server.home.url, PORT: '0', ENCRYPTION_KEY: NEW.toString('hex') })
      expect({ code: wrong.code, stdout: wrong.stdout }).to.deep.equal({ code: 2, stdout: '' })
      expect(wrong.stderr).to.match(/ENCRYPTION_KEY does not hold the key [0-9a-f]{8}/).and.not.to.match(/^\s+at /m)
      await server.restart({ encryptionKeys: [NEW, OLD] })
      await expectWorking()
    })

    it('stay readable when they were stored before there was a key, and are encrypted by a rotation while the service runs', async () => {
      await begin([])
      expect((await stored(server)).config).to.include('planted-key')
      await server.restart({ encryptionKeys: [OLD] })
      await expectWorking()
      const { code, stdout, stderr } = await rotate(server, OLD)
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      expect(stdout).to.match(/^encrypted the secrets of 1 destinations and 1 webhooks with the key [0-9a-f]{8}\n$/)
      await expectSealed()
      await expectWorking()
    })

    it('pass to a new key without a pause, after which the old one can be forgotten', async () => {
      await begin([OLD])
      const before = await stored(server)
      await server.restart({ encryptionKeys: [NEW, OLD] })
      expect((await rotate(server, NEW, OLD)).code).to.equal(0)
      const after = await stored(server)
      expect(after.config).not.to.equal(before.config)
      await expectWorking()
      await server.restart({ encryptionKeys: [NEW] })
      await expectSealed()
      await expectWorking()
      const [entry] = (await server.call('get', '/v1/audit?entity=config')).body as { action: string; entity_id: string; user: { name: string }; after: object }[]
      expect(entry).to.include({ action: 'secrets_rotated', entity_id: 'encryption_key' })
      expect(entry?.user.name).to.equal('command line')
      expect(entry?.after).to.include({ destinations: 1, webhooks: 1 })
    })

    it('are left as they are by a rotation without a key, or without the one that opens them', async () => {
      await begin([OLD])
      const before = await stored(server)
      for (const [keys, wanted] of [[[], 'ENCRYPTION_KEY is not set'], [[NEW], 'ENCRYPTION_KEY does not hold the key']] as const) {
        const { code, stdout, stderr } = await rotate(server, ...keys)
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' })
        expect(stderr).to.include(wanted).and.not.to.match(/^\s+at /m)
      }
      expect(await stored(server)).to.deep.equal(before)
      await expectWorking()
    })

    it('cannot be mistaken: a setting that looks encrypted is refused', async () => {
      await begin([])
      const answer = await server.call('post', '/v1/admin/destinations').send({ name: 'odd', provider: 'noop', config: { api_key: 'enc:v1:x' } })
      expect(answer.status).to.equal(400)
      expect(answer.body.error).to.include('config.api_key must not begin with "enc:v1:"')
    })
  })
})
