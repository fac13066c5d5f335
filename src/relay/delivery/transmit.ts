import { createHash } from 'node:crypto'
import { scrubSecrets } from '../../destinations/mask.ts'
import type { HttpProvider, Item, LocalTransport, Outcome, ProviderConfig, Result } from '../../destinations/destination.ts'
import type { Sender } from '../../outgoing/send.ts'
import { classifyAnswer, classifyFailure } from './outcome.ts'

/** What came of one request. */
export interface Transmission {
  outcome: Outcome
  /** HTTP status of the answer; `undefined` when there was none. */
  status?: number
}

/** Sends items once and judges the answer. Never throws; no text it returns holds a secret of the destination. */
export type Transmit = (items: Item[], attempt: number) => Promise<Transmission>

export interface HttpTransmitDeps {
  provider: HttpProvider
  config: ProviderConfig
  destinationName: string
  timeoutMs: number
  send: Sender['send']
  now: () => number
  signal: AbortSignal
}

/** Transmits by HTTP through the one door to the outside. */
export function httpTransmit(deps: HttpTransmitDeps): Transmit {
  const { provider, config } = deps
  return async (items, attempt) => {
    const context = { batchId: batchId(deps.destinationName, items), attempt, now: deps.now() }
    let request
    try {
      request = provider.request(items, config, context)
    } catch (error) {
      return { outcome: { kind: 'bisect', message: scrubSecrets(provider.name, config, `the request could not be built: ${textOf(error)}`) } }
    }
    const response = await deps.send({ ...request, timeoutMs: deps.timeoutMs }, deps.signal)
    const outcome = scrub(deps, judge(deps, response, items, context))
    return response.kind === 'answer' ? { outcome, status: response.status } : { outcome }
  }
}

/** Transmits through an open local transport. */
export function localTransmit(provider: { name: string }, config: ProviderConfig, transport: LocalTransport): Transmit {
  return async (items) => {
    try {
      return { outcome: scrub({ provider, config }, await transport.deliver(items)) }
    } catch (error) {
      return { outcome: scrub({ provider, config }, { kind: 'all', result: { kind: 'retry', message: textOf(error) } }) }
    }
  }
}

/** Names the very items of a request: the same ones get the same name in every attempt, before and after a restart. */
export function batchId(destinationName: string, items: readonly Item[]): string {
  // One text: each call of the hash costs more than the hashing.
  const named = [destinationName, ...items.map((item) => item.key)].join('\n')
  return `batch_${createHash('sha256').update(named).digest('hex').slice(0, 32)}`
}

function judge(deps: HttpTransmitDeps, response: Awaited<ReturnType<Sender['send']>>, items: Item[], context: { batchId: string; attempt: number; now: number }): Outcome {
  if (response.kind !== 'answer') return classifyFailure(response)
  try {
    return deps.provider.classify?.(response, items, deps.config, context) ?? classifyAnswer(response, items.length, deps.now())
  } catch {
    // An answer that the provider cannot take apart, such as a proxy's page, still has a status.
    return classifyAnswer(response, items.length, deps.now())
  }
}

function scrub(deps: { provider: { name: string }; config: ProviderConfig }, outcome: Outcome): Outcome {
  const clean = (text: string): string => scrubSecrets(deps.provider.name, deps.config, text)
  const cleanResult = (result: Result): Result => (result.kind === 'ok' ? result : { ...result, message: clean(result.message) })
  if (outcome.kind === 'all') return outcome.result.kind === 'ok' ? outcome : { kind: 'all', result: cleanResult(outcome.result) }
  if (outcome.kind === 'each') return { kind: 'each', results: outcome.results.map(cleanResult) }
  return { ...outcome, message: clean(outcome.message) }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
