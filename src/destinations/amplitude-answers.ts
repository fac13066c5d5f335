import { SECOND } from '../duration.ts'
import type { HttpResponse, Item, Outcome, Result } from './destination.ts'
import { answerObject, answered, listOf, objectOf, quote } from './vendor-answer.ts'

/** Amplitude sends no `Retry-After`; its documentation and its SDK say 30 seconds. */
const THROTTLED_MS = 30 * SECOND
const INVALID_KEY = /^invalid api key/i

/** Judges an answer of Amplitude. Of what it refuses, nothing is stored: what it does not name is sent again. */
export function classifyAmplitude(response: HttpResponse, items: readonly Item[]): Outcome | undefined {
  if (response.status === 400 && INVALID_KEY.test(response.body.trim())) return invalidKey(response.body)
  if (response.status === 429 && response.headers['retry-after'] !== undefined) return undefined
  if (response.status === 429 && !response.body.trim().startsWith('{')) return throttled(response.body)
  const answer = answerObject(response)
  // The body has a status of its own; the one around it may be a proxy's.
  const status = typeof answer['code'] === 'number' && response.status < 300 ? answer['code'] : response.status
  if (status === 400) return classifyInvalid(answer, items)
  if (status === 429) return classifyThrottled(answer, items)
  if (status === response.status || status < 300) return undefined
  return status === 413 ? { kind: 'split', message: messageOf(status, answer) } : { kind: 'all', result: { kind: 'retry', message: messageOf(status, answer) } }
}

function classifyInvalid(answer: Record<string, unknown>, items: readonly Item[]): Outcome {
  const message = messageOf(400, answer)
  if (INVALID_KEY.test(String(answer['error'])) || answer['missing_field'] === 'api_key') return invalidKey(answer['error'])
  const reasons = new Map<number, string>()
  for (const part of ['events_with_invalid_fields', 'events_with_missing_fields', 'events_with_invalid_id_lengths']) {
    for (const [field, indexes] of Object.entries(objectOf(answer[part]))) {
      for (const index of listOf(indexes)) reasons.set(Number(index), `${message} (${part}: ${quote(field)})`)
    }
  }
  for (const index of listOf(answer['silenced_events'])) reasons.set(Number(index), `${message} (the event is silenced)`)
  const silenced = new Set(listOf(answer['silenced_devices']))
  const results = items.map((item, index): Result | undefined => {
    const isSilenced = silenced.size > 0 && silenced.has(whose(item).device_id)
    const reason = reasons.get(index) ?? (isSilenced ? `${message} (the device is silenced)` : undefined)
    return reason === undefined ? undefined : { kind: 'reject', code: 'rejected', message: reason }
  })
  if (results.every((result) => result === undefined)) return { kind: 'bisect', message }
  return { kind: 'each', results: results.map((result) => result ?? { kind: 'retry', message, free: true }) }
}

function classifyThrottled(answer: Record<string, unknown>, items: readonly Item[]): Outcome {
  const message = messageOf(429, answer)
  const users = objectOf(answer['exceeded_daily_quota_users'])
  const devices = objectOf(answer['exceeded_daily_quota_devices'])
  const waiting = new Set(listOf(answer['throttled_events']))
  const results = items.map((item, index): Result => {
    const { user_id: user, device_id: device } = whose(item)
    if ((user !== undefined && Object.hasOwn(users, user)) || (device !== undefined && Object.hasOwn(devices, device))) {
      return { kind: 'reject', code: 'quota', message: `${message} (over the daily quota of this user or device)` }
    }
    return waiting.has(index) ? { kind: 'retry', message, afterMs: THROTTLED_MS } : { kind: 'retry', message, free: true }
  })
  // Without anything to leave out, the same request again at once would meet the same answer.
  return results.every((result) => result.kind === 'retry' && result.free) ? throttled(answer['error']) : { kind: 'each', results }
}

/** The ids in an item's body. */
function whose(item: Item): { user_id?: string; device_id?: string } {
  return JSON.parse(item.body) as { user_id?: string; device_id?: string }
}

function throttled(said: unknown): Outcome {
  return { kind: 'all', result: { kind: 'retry', message: answered(429, said), afterMs: THROTTLED_MS } }
}

function invalidKey(said: unknown): Outcome {
  return { kind: 'all', result: { kind: 'halt', code: 'invalid_api_key', message: `Amplitude refuses the API key: ${quote(said)}` } }
}

function messageOf(status: number, answer: Record<string, unknown>): string {
  return answered(status, answer['error'] ?? answer)
}
