import { expect } from 'chai'
import { createTestDatabase, onEachEngine } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { startOn } from '../support/server.ts'
import { signalbook } from './command-line.ts'

onEachEngine((engine) => {
  describe('signalbook keys create', () => {
    let home: TestDatabase
    beforeEach(async () => {
      home = await createTestDatabase(engine)
    })
    afterEach(() => home.remove())

    const create = (...args: string[]) => signalbook(['keys', 'create', ...args], { DATABASE_URL: home.url })
    const server = () => startOn({ ...home, remove: async () => {} })

    it('makes a key of an empty database, alone on standard output, which the service then takes', async () => {
      const { code, stdout } = await create('--role', 'admin', '--name', 'owner', '--expires-in', '1h')
      expect(code).to.equal(0)
      expect(stdout).to.match(/^sb_[0-9A-Za-z]{46}\n$/)
      const service = await server()
      const listed = await service.call('get', '/v1/admin/keys', stdout.trim())
      expect(listed.status).to.equal(200)
      const [key] = listed.body as Record<string, unknown>[]
      expect(key).to.include({ name: 'owner', role: 'admin', status: 'active', created_by: 'command line' })
      expect(Date.parse(key?.['expires_at'] as string) - Date.parse(key?.['created_at'] as string)).to.equal(3_600_000)
      const audit = (await service.call('get', '/v1/audit?entity=key', stdout.trim())).body as { user: { name: string } }[]
      expect(audit.map(({ user }) => user.name)).to.deep.equal(['command line'])
      await service.stop()
    })

    it('is the way back once every key is revoked, while the service runs', async () => {
      const service = await server()
      const first = (await service.call('post', '/v1/admin/keys', '').send({ role: 'admin' })).body as { id: number; key: string }
      await service.call('delete', `/v1/admin/keys/${first.id}`, first.key)
      expect((await service.call('post', '/v1/admin/keys', '').send({ role: 'admin' })).status, 'the bootstrap stays closed').to.equal(401)
      const { stdout } = await create('--role', 'admin')
      expect((await service.call('get', '/v1/admin/keys', stdout.trim())).status).to.equal(200)
      await service.stop()
    })

    for (const [args, wanted] of [
      [[], '--role must be one of viewer, publisher, admin'],
      [['--role', 'root'], '--role must be one of viewer, publisher, admin'],
      [['--role', 'admin', '--expires-in', 'soon'], 'expires_in'],
      [['--role', 'admin', '--name', 'n'.repeat(101)], 'name must be at most 100 characters'],
    ] as const) {
      it(`refuses ${JSON.stringify(args).slice(0, 60)}, saying what would be right`, async () => {
        const { code, stdout, stderr } = await create(...args)
        expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' })
        expect(stderr).to.include(wanted).and.not.to.match(/^\s+at /m)
      })
    }
  })
})
