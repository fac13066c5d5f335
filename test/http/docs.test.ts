import { expect } from 'chai'
import { startTestServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

const TYPES: Record<string, string> = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' }

describe('the reference page', () => {
  let server: TestServer

  before(async () => {
    server = await startTestServer('sqlite')
  })
  after(() => server.stop())

  const get = (path: string, init: RequestInit = {}) => fetch(new URL(path, `${server.url}/docs`), init)
  const textOf = async (path: string) => (await get(path)).text()

  /** What the page has a browser load, as the page writes it. */
  async function assets(): Promise<string[]> {
    const named = [...(await textOf('/docs')).matchAll(/<(?:script|link|img|iframe)[^>]*\s(?:src|href)="([^"]*)"/g)].map(([, address]) => address as string)
    return named.filter((address) => !address.startsWith('data:'))
  }

  it('is shown without a key and loads only what this server has', async () => {
    const page = await get('/docs')
    expect(page.status).to.equal(200)
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    expect(await page.text()).not.to.match(/https?:|"\/\//)
    expect(await assets()).to.have.length(3)
    for (const address of await assets()) {
      const asset = await get(address)
      expect(asset.status, address).to.equal(200)
      expect(asset.headers.get('content-type')).to.equal(TYPES[address.split('.').at(-1) as string])
      expect(await asset.text()).to.have.length.greaterThan(200)
    }
  })

  it('has styles that fetch nothing', async () => {
    const named = [...(await textOf('/docs/swagger-ui.css')).matchAll(/url\(["']?([^"')]{0,40})|@import[^;]*/g)].map(([all, address]) => address ?? all)
    expect(named).not.to.be.empty
    expect(named.filter((address) => !address.startsWith('data:'))).to.deep.equal([])
  })

  it('shows the document that is published, beside the address of the page', async () => {
    const script = await textOf('/docs/start.js')
    expect(script).not.to.match(/https?:/)
    const [, named = ''] = /new URL\('(v1[^']+)'/.exec(script) ?? []
    expect(await (await get(named)).json()).to.have.property('openapi')
  })

  it('runs no script of others and cannot be framed', async () => {
    for (const path of ['/docs', ...(await assets())]) {
      const { headers } = await get(path)
      const policy = new Map((headers.get('content-security-policy') ?? '').split('; ').map((directive) => directive.split(/ (.*)/) as [string, string]))
      expect(policy.get('default-src'), path).to.equal("'none'")
      expect(policy.get('script-src')).to.equal("'self'")
      expect(policy.get('connect-src')).to.equal("'self'")
      expect(policy.get('frame-ancestors')).to.equal("'none'")
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
    }
    expect(await textOf('/docs')).not.to.match(/<script[^>]*>[^<]|\son\w+=/)
  })

  it('answers HEAD without a body, and 405 and 404 in the error shape', async () => {
    const head = await get('/docs', { method: 'HEAD' })
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
    expect(Number(head.headers.get('content-length'))).to.be.greaterThan(200)
    const refused = await get('/docs', { method: 'POST', body: '{}' })
    expect([refused.status, refused.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD'])
    expect(await refused.json()).to.include.keys('error', 'code', 'request_id')
    for (const path of ['/docs/', '/docs/package.json', '/docs/swagger-ui-bundle.js.map']) {
      const missing = await get(path)
      expect(missing.status, path).to.equal(404)
      expect(await missing.json()).to.have.property('error')
    }
  })
})
