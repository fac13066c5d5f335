import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'

/**
 * The servers that ours is measured against, as a process of their own. `raw`: node:http and JSON.parse answering 202, which
 * stores nothing. `express`: express answering a constant. `sink`: takes deliveries. A second argument names the port.
 */
const [kind, port = '0'] = process.argv.slice(2)

const raw = () =>
  createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { source?: string }
      response.writeHead(202, { 'Content-Type': 'application/json', 'Content-Length': 21 })
      response.end(body.source === undefined ? '{"status":"no source"}'.slice(0, 21) : '{"status":"accepted"}')
    })
  })

const constant = () => {
  const app = express()
  app.use((_request, response) => {
    response.json({ status: 'ok' })
  })
  return createServer(app)
}

const sink = () =>
  createServer((request, response) => {
    request.resume()
    request.on('end', () => response.end())
  })

const server = kind === 'express' ? constant() : kind === 'sink' ? sink() : raw()
server.keepAliveTimeout = 65_000
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
