import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import express from 'express'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import * as OpenApiValidator from 'express-openapi-validator'
import fc from 'fast-check'
import document from '../../src/contract/document.json' with { type: 'json' }
import { bodyValidators } from '../../src/contract/validate.ts'
import { amount } from '../support/amount.ts'
import { bodiesOf } from '../support/contract-bodies.ts'

const BODIES = amount('EQUAL_BODIES', 1000, 20_000)
const PARALLEL = 16

const CALLS = { track: 'TrackInput', identify: 'IdentifyInput', group: 'GroupInput', page: 'PageInput', alias: 'AliasInput', batch: 'BatchInput' } as const

describe('the compiled validators of relay bodies', function () {
  this.timeout(30_000 + BODIES * 60)
  let server: Server
  const agent = new Agent({ keepAlive: true })

  before(async () => {
    const accept: RequestHandler = (_req, res) => void res.status(202).end()
    const refuse: ErrorRequestHandler = (error: { status?: number }, _req, res, _next) => void res.status(error.status ?? 500).end()
    const app = express()
    app.use(express.json({ limit: '8mb' }))
    // As the service uses it for all other operations.
    app.use(OpenApiValidator.middleware({ apiSpec: document as never, validateApiSpec: false, validateSecurity: false, validateFormats: false, validateRequests: { allErrors: true, removeAdditional: false }, validateResponses: false }))
    app.use(accept, refuse)
    server = createServer(app).listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => {
    agent.destroy()
    server.close()
  })

  /** @returns the status with which the express-openapi-validator answers */
  function ask(path: string, body: unknown): Promise<number> {
    return new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo
      const call = request({ port, host: '127.0.0.1', path, method: 'POST', agent, headers: { 'Content-Type': 'application/json' } }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
      })
      call.on('error', reject).end(JSON.stringify(body))
    })
  }

  for (const [id, schema] of Object.entries(CALLS)) {
    it(`accept and refuse the same ${BODIES} bodies of ${id} as the express-openapi-validator`, async () => {
      const bodies = fc.sample(bodiesOf(schema), { numRuns: BODIES, ...(process.env['EQUAL_SEED'] ? { seed: Number(process.env['EQUAL_SEED']) } : {}) })
      const counts = { accepted: 0, refused: 0 }
      const differences: object[] = []
      for (let at = 0; at < bodies.length; at += PARALLEL) {
        await Promise.all(
          bodies.slice(at, at + PARALLEL).map(async (body) => {
            const isAccepted = bodyValidators[id as keyof typeof CALLS](body)
            counts[isAccepted ? 'accepted' : 'refused'] += 1
            const status = await ask(`/v1/${id}`, body)
            if (status !== (isAccepted ? 202 : 400)) differences.push({ status, isAccepted, body })
          }),
        )
      }
      expect(differences.slice(0, 3), JSON.stringify(differences.slice(0, 3))).to.deep.equal([])
      // A comparison of nothing but refusals, or of none, would prove little.
      expect(Math.min(counts.accepted, counts.refused), JSON.stringify(counts)).to.be.greaterThan(BODIES / 20)
    })
  }
})
