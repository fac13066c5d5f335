import { expect } from 'chai'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const REFUSED = [
  'http://127.0.0.1/hook', 'http://127.1:8080/', 'http://2130706433/', 'http://0x7f.1/', 'http://0177.0.0.1/', 'http://localhost:3000/', 'http://api.localhost/', 'http://0.0.0.0/',
  'https://10.0.0.7/', 'https://172.16.3.4/', 'https://192.168.1.1/', 'http://169.254.169.254/latest/meta-data', 'http://100.64.0.1/', 'http://[::1]/', 'http://[fe80::1]/',
  'http://[fd00::1]/', 'http://[::ffff:10.0.0.1]/', 'http://[::127.0.0.1]/', 'http://[64:ff9b::7f00:1]/', 'http://224.0.0.1/',
]

describe('registering an address while private networks are not allowed', () => {
  let server: TestServer
  before(async () => {
    server = await startTestServer('sqlite', { allowPrivateNetworks: false })
    expect((await server.call('post', '/v1/admin/destinations').send({ name: 'public', provider: 'http', config: { url: 'https://93.184.216.34/hook' } })).status).to.equal(201)
  })
  after(() => server.stop())

  for (const url of REFUSED) {
    it(`refuses ${url} for a destination, its change and a webhook`, async () => {
      const config = { url }
      for (const answer of [
        await server.call('post', '/v1/admin/destinations').send({ name: 'private', provider: 'http', config }),
        await server.call('put', '/v1/admin/destinations/public').send({ name: 'public', provider: 'http', config }),
        await server.call('post', '/v1/webhooks').send(config),
      ]) {
        expect(answer.status, answer.text).to.equal(400)
        expect((answer.body as { error: string }).error).to.match(/private networks are not allowed.*ALLOW_PRIVATE_NETWORKS/)
      }
    })
  }

  it('takes public addresses and names', async () => {
    for (const url of ['https://example.com/hook', 'https://93.184.216.34/', 'https://[2606:2800:220:1::1]/']) {
      expect((await server.call('post', '/v1/webhooks').send({ url })).status, url).to.equal(201)
      expect((await server.call('put', '/v1/admin/destinations/public').send({ name: 'public', provider: 'http', config: { url } })).status, url).to.equal(200)
    }
  })
})
