import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { SECOND } from '../../../src/duration.ts'
import { hostileRequests } from './hostile.ts'
import { judge } from './judge.ts'
import { fetchPublished } from './published.ts'
import type { Published } from './published.ts'
import { requestsOf } from './request.ts'
import type { FuzzRequest } from './request.ts'
import { send } from './send.ts'
import type { FuzzAnswer } from './send.ts'
import type { FuzzedService } from './service.ts'

const AT_ONCE = 8
const LONGEST_PAUSE_SECONDS = 5

/** What the service did with all that was sent to it. */
export interface FuzzReport {
  requests: number
  /** How often each status was answered. */
  statuses: Record<number, number>
  /** Operations that were never answered with a success. */
  neverSucceeded: string[]
  /** Answers that are not what the contract says, with the request that led to them. */
  differences: string[]
  /** Of all that were asked after each group of requests. */
  slowestHealthMs: number
  /** How far the memory of the process rose above where it was after the first round; undefined where that cannot be read. */
  memoryGrowthMb: number | undefined
}

/** Sends `count` generated requests, evenly over all operations, and every hostile one to each of them. */
export async function fuzz(service: FuzzedService, { count, seed }: { count: number; seed: number }): Promise<FuzzReport> {
  const published = await fetchPublished(service.url)
  const report: FuzzReport = { requests: 0, statuses: {}, neverSucceeded: [], differences: [], slowestHealthMs: 0, memoryGrowthMb: undefined }
  const succeeded = new Set<string>()
  let before: number | undefined
  const note = (request: FuzzRequest, answer: FuzzAnswer) => {
    report.requests += 1
    report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1
    if (answer.status >= 200 && answer.status < 300) succeeded.add(request.operation.id)
    const faults = judge(published, request, answer)
    if (faults.length > 0) report.differences.push(describe(request, answer, faults))
  }
  for (const group of groupsOf(published, count, seed)) {
    await service.restock()
    await each(group, async (request) => {
      if (service.mayReceive(request)) note(request, await sendPatiently(service, request))
    })
    report.slowestHealthMs = Math.max(report.slowestHealthMs, await healthMs(service.url))
    const now = await service.memoryMb()
    // The first round of ordinary requests compiles and caches what every running service has.
    before ??= now
    if (before !== undefined && now !== undefined) report.memoryGrowthMb = Math.max(report.memoryGrowthMb ?? 0, now - before)
  }
  report.neverSucceeded = published.operations.map(({ id }) => id).filter((id) => !succeeded.has(id))
  return report
}

/** Generated requests in rounds over all operations, then the hostile ones, operation by operation. */
function* groupsOf(published: Published, count: number, seed: number): Generator<FuzzRequest[]> {
  const perRound = 4
  const rounds = Math.ceil(count / published.operations.length / perRound)
  for (let round = 0; round < rounds; round++) {
    yield published.operations.flatMap((operation, index) => fc.sample(requestsOf(published, operation), { numRuns: perRound, seed: seed + round * 1000 + index }))
  }
  for (const operation of published.operations) yield hostileRequests(operation)
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items]
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
    }),
  )
}

/** A service whose disk is busy may ask to be tried again, but not for long. */
async function sendPatiently(service: FuzzedService, request: FuzzRequest): Promise<FuzzAnswer> {
  for (let pause = 1; ; pause++) {
    const answer = await send(service.url, service.key, request)
    if (answer.status !== 503 || pause > LONGEST_PAUSE_SECONDS) return answer
    await sleep(pause * SECOND)
  }
}

/** @returns how long the service takes to answer for its health; infinite when it does not say that it is well */
async function healthMs(url: string): Promise<number> {
  let slowest = 0
  for (let pause = 1; pause <= LONGEST_PAUSE_SECONDS; pause++) {
    const startedAt = performance.now()
    const answer = await fetch(`${url}/v1/health`)
    await answer.text()
    slowest = Math.max(slowest, performance.now() - startedAt)
    if (answer.status === 200) return slowest
    await sleep(pause * SECOND)
  }
  return Infinity
}

function describe({ operation, kind, method, path, headers, body }: FuzzRequest, { status, text }: FuzzAnswer, faults: string[]): string {
  const sent = body === undefined ? '' : ` ${JSON.stringify(headers)} ${body.toString().slice(0, 600)}`
  return `${operation.id} (${kind}): ${faults.join('; ')}\n  ${method} ${path.slice(0, 300)}${sent}\n  → ${status} ${text.slice(0, 400)}`
}
