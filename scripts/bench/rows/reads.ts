import { createHome, prepare } from '../home.ts'
import { compare } from '../measure.ts'
import type { Figures } from '../measure.ts'
import { startLimit } from '../processes.ts'
import { profileOf } from '../profile.ts'
import { explained, ratioLine } from './row.ts'
import type { Line, Row } from './row.ts'

/** The reads of a build and of a page, against express answering a constant. */
export const reads: Row = {
  name: 'reads',
  async run(pace): Promise<Line[]> {
    const home = await createHome('sqlite')
    const { server, headers } = await prepare(home)
    const limit = await startLimit('express')
    try {
      const pulled = await fetch(`${server.url}/v1/sources/web-shop/pull`, { headers })
      const etag = pulled.headers.get('etag')
      if (etag === null) throw new Error('the pull has no ETag')
      const latest = { url: '/v1/events/shop/order_completed', method: 'GET', headers }
      const unchanged = { url: '/v1/sources/web-shop/pull', method: 'GET', headers: { ...headers, 'If-None-Match': etag } }
      const [get, pull, constant] = (await compare(pace, [
        { server, order: latest, status: '200' },
        { server, order: unchanged, status: '304' },
        { server: limit, order: latest, status: '200' },
      ])) as [Figures, Figures, Figures]
      const rates = [
        ratioLine('GET the latest version of an event', get.requestsPerSecond, constant.requestsPerSecond, 0.5, 'calls/s'),
        ratioLine('pull with If-None-Match', pull.requestsPerSecond, constant.requestsPerSecond, 0.5, 'calls/s'),
      ] as const
      return [
        await explained(rates[0], () => profileOf('sqlite', 1, async (_home, prepared) => ({ ...latest, headers: prepared.headers }))),
        await explained(rates[1], () => profileOf('sqlite', 1, async (_home, prepared) => ({ ...unchanged, headers: { ...prepared.headers, 'If-None-Match': etag } }))),
      ]
    } finally {
      await server.stop()
      await limit.stop()
      await home.remove()
    }
  },
}
