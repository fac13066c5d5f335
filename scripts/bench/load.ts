import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

/** What the load process is told, as JSON in its first argument. */
export interface LoadOrder {
  url: string
  method: string
  headers: Record<string, string>
  /** File that holds the body. Wherever it holds `FRESH`, each request has other hexadecimal digits. */
  bodyFile?: string
  connections: number
  seconds: number
}

/** What it answers, as JSON on standard output. */
export interface LoadResult {
  requestsPerSecond: number
  p50Ms: number
  p99Ms: number
  /** How often each status came. */
  statuses: Record<string, number>
}

/** Stands for digits that no two requests share. */
export const FRESH = '~'.repeat(16)

const END_OF_HEAD = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: (\d+)/i

/**
 * Sends one request again and again over keep-alive connections, each with one request under way. Bare sockets and a
 * request that is put together once: a client library would take more processor time than the servers that are measured.
 */
async function run(order: LoadOrder): Promise<LoadResult> {
  const shared = requestBytes(order)
  const places = placesOf(shared, FRESH)
  const { hostname, port } = new URL(order.url)
  const latencies: number[] = []
  const statuses: Record<string, number> = {}
  let isOver = false

  const drive = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      const request = places.length === 0 ? shared : Buffer.from(shared)
      let answer = ''
      let sentAt = 0
      const send = () => {
        if (places.length > 0) freshen(request, places)
        sentAt = performance.now()
        socket.write(request)
      }
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('close', () => resolve())
      socket.setEncoding('latin1')
      socket.on('data', (chunk: string) => {
        answer = answer === '' ? chunk : answer + chunk
        const head = answer.indexOf(END_OF_HEAD)
        if (head < 0) return
        const status = answer.slice(9, 12)
        const length = status === '304' ? 0 : Number(LENGTH.exec(answer)?.[1] ?? 0)
        if (answer.length < head + END_OF_HEAD.length + length) return
        latencies.push(performance.now() - sentAt)
        statuses[status] = (statuses[status] ?? 0) + 1
        answer = ''
        if (isOver) socket.end()
        else send()
      })
    })

  const startedAt = performance.now()
  const timer = setTimeout(() => (isOver = true), order.seconds * 1000)
  await Promise.all(Array.from({ length: order.connections }, drive))
  clearTimeout(timer)
  const seconds = (performance.now() - startedAt) / 1000
  latencies.sort((a, b) => a - b)
  const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? 0
  return { requestsPerSecond: latencies.length / seconds, p50Ms: at(0.5), p99Ms: at(0.99), statuses }
}

function requestBytes({ url, method, headers, bodyFile }: LoadOrder): Buffer {
  const { host, pathname, search } = new URL(url)
  const body = bodyFile === undefined ? Buffer.alloc(0) : readFileSync(bodyFile)
  const all = { Host: host, ...headers, ...(bodyFile === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`), body])
}

function placesOf(bytes: Buffer, mark: string): number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) places.push(at)
  return places
}

function freshen(request: Buffer, places: number[]): void {
  const digits = randomBytes((places.length * FRESH.length) / 2).toString('hex')
  places.forEach((place, index) => request.write(digits.slice(index * FRESH.length, (index + 1) * FRESH.length), place, 'latin1'))
}

if (import.meta.main) process.stdout.write(JSON.stringify(await run(JSON.parse(process.argv[2] as string) as LoadOrder)))
