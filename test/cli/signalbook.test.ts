import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { signalbook } from './command-line.ts'

describe('signalbook', () => {
  for (const args of [['help'], ['--help'], ['-h'], []]) {
    it(`explains its commands when called with ${JSON.stringify(args)}`, async () => {
      const { code, stdout, stderr } = await signalbook(args)
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
      expect(stdout).to.include('signalbook start').and.to.include('signalbook keys create --role')
    })
  }

  it('names a command that it does not know, and those that it does', async () => {
    const { code, stdout, stderr } = await signalbook(['keys', 'destroy'])
    expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' })
    expect(stderr).to.include('there is no command "keys destroy"').and.to.include('signalbook start')
  })

  it('names an option that it does not know, without a stack', async () => {
    const { code, stderr } = await signalbook(['start', '--port', '80'])
    expect(code).to.equal(2)
    expect(stderr).to.include('--port').and.not.to.match(/^\s+at /m)
  })

  describe('start', () => {
    it('names every fault of the environment at once, without a stack', async () => {
      const { code, stdout, stderr } = await signalbook(['start'], { PORT: 'http', ROLE: 'boss', DATABASE_URL: 'postgres://x' })
      expect({ code, stdout }).to.deep.equal({ code: 2, stdout: '' })
      expect(stderr).to.match(/PORT must be/).and.to.match(/ROLE must be/).and.to.match(/DATABASE_URL must be/).and.not.to.match(/^\s+at /m)
    })

    it('says in a sentence that the port is taken', async () => {
      const other = createServer().listen(0, '127.0.0.1')
      await new Promise((resolve) => other.once('listening', resolve))
      const port = String((other.address() as AddressInfo).port)
      const { code, stderr } = await signalbook(['start'], { PORT: port, DATABASE_URL: 'sqlite::memory:' })
      other.close()
      expect(code).to.equal(2)
      expect(stderr).to.include('EADDRINUSE').and.to.include(port).and.not.to.match(/^\s+at /m)
    })

    it('says in a sentence that the database cannot be reached or opened', async () => {
      for (const DATABASE_URL of ['mysql://root@127.0.0.1:1/nowhere', 'sqlite:/proc/signalbook.db']) {
        const { code, stderr } = await signalbook(['start'], { PORT: '0', DATABASE_URL })
        expect(code, stderr).to.equal(2)
        expect(stderr).to.match(/^signalbook: .+/).and.not.to.match(/^\s+at /m)
      }
    }).timeout(30_000)
  })
})
