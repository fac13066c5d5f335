import { connect } from 'node:net'
import { expect } from 'chai'
import { createTestDatabase } from '../support/database.ts'
import { bootstrap } from '../support/server.ts'
import { startProcess } from '../support/two-processes.ts'

const FORGED = 'x\r\n{"forged":true}\r\n'

describe('the log', function () {
  this.timeout(60_000)

  it('has one line per request, whatever line breaks its names, reasons, paths and headers hold', async () => {
    const home = await createTestDatabase('sqlite')
    const service = await startProcess(home, { LOG_LEVEL: 'info' })
    await bootstrap(service)
    const { key } = (await service.call('post', '/v1/admin/keys').send({ role: 'admin', name: FORGED })).body as { key: string }
    await service.call('post', '/v1/admin/destinations', key).send({ name: 'drain', provider: 'noop', config: {} })
    const paused = await service.call('post', '/v1/admin/destinations/drain/pause', key).send({ reason: FORGED })
    expect(paused.status).to.equal(200)
    await service.call('get', `/v1/events/${encodeURIComponent(FORGED)}/x?q=${encodeURIComponent(FORGED)}`, key)
    await service.call('get', `/${encodeURIComponent(FORGED)}`, key).set('X-Request-Id', 'with "quotes"')
    const entries = (await service.call('get', '/v1/audit?limit=1', key)).body as { reason: string; user: { name: string } }[]
    expect([entries[0]?.reason, entries[0]?.user.name]).to.deep.equal([FORGED, FORGED])
    // A header that goes on in a second line, as HTTP once allowed, is no request at all.
    expect(await raw(service.url, 'GET /v1/health HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\r\n {"forged":true}\r\nConnection: close\r\n\r\n')).to.match(/^HTTP\/1\.1 400 /)
    await service.process.terminate()
    await home.remove()

    const lines = service.process.output().split('\n').filter((line) => line.includes('{'))
    const logged = lines.filter((line) => !line.includes('curl')).map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(logged.filter(({ msg }) => msg === 'request')).to.have.length(7)
    expect(logged.filter((line) => 'forged' in line)).to.deep.equal([])
    expect(logged.every((line) => typeof line['level'] === 'number')).to.equal(true)
  })

  /** Sends bytes as they are. @returns everything that comes back until the end */
  function raw(url: string, text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = ''
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(text))
      socket.on('data', (chunk) => (answer += chunk.toString()))
      socket.on('close', () => resolve(answer))
      socket.on('error', reject)
    })
  }
})
