import type { HttpResponse } from './destination.ts'

const QUOTE_LENGTH = 200

/** The object that an answer's body holds. @throws SyntaxError when it holds none; the relay then judges the answer by its status alone */
export function answerObject(response: HttpResponse): Record<string, unknown> {
  const answer: unknown = JSON.parse(response.body)
  if (!isObject(answer)) throw new SyntaxError('the answer holds no JSON object')
  return answer
}

/** Reads a part of an answer that should be an object. */
export function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

/** Reads a part of an answer that should be a list. */
export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

/** What a vendor said, on one line and not longer than a reason needs to be. */
export function quote(said: unknown): string {
  const text = typeof said === 'string' ? said : (JSON.stringify(said) ?? '')
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, QUOTE_LENGTH)
}

/** A status and what the vendor said with it, in the words of the default classifier. */
export function answered(status: number, said: unknown): string {
  const quoted = quote(said)
  return quoted === '' ? `answered ${status}` : `answered ${status}: ${quoted}`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
