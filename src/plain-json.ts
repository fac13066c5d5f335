import { invalid } from './error.ts'

export const MAX_DEPTH = 32

// Kept by JSON.parse as own keys; a later merge or assignment of them would reach Object.prototype.
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

// Text of 4 MB can spell 1.4 million empty objects, which take 20 times its memory; 2,500 batch items have 40 each.
const MOST_CONTAINERS = 100_000
const [QUOTE, BACKSLASH, BRACE, BRACKET] = [0x22, 0x5c, 0x7b, 0x5b]

/**
 * Refuses JSON text with more objects and arrays than any honest body has, before parsing makes them.
 * @throws SignalbookError `invalid_request`
 */
export function assertFewContainers(json: Uint8Array): void {
  // Each takes two bytes at least: all but the largest bodies need no look.
  if (json.length < 2 * MOST_CONTAINERS) return
  let containers = 0
  let isInString = false
  for (let index = 0; index < json.length; index++) {
    const byte = json[index]
    if (byte === QUOTE) isInString = !isInString
    else if (isInString) index += byte === BACKSLASH ? 1 : 0
    else if (byte === BRACE || byte === BRACKET) containers += 1
  }
  if (containers > MOST_CONTAINERS) throw invalid(`the body holds ${containers} objects and arrays; at most ${MOST_CONTAINERS} are allowed, send it in parts`)
}

/** Writes one step of a JSON pointer (RFC 6901). */
export function pointerStep(key: string | number): string {
  return '/' + String(key).replaceAll('~', '~0').replaceAll('/', '~1')
}

/**
 * Refuses what JSON can spell but this service cannot keep safely: nesting over `MAX_DEPTH`, keys that reach a
 * prototype, and numbers that are not finite (`1e999` parses to Infinity and would be stored as null).
 * @throws SignalbookError `invalid_request` naming the JSON pointer
 */
export function assertPlainJson(root: unknown): void {
  // Finding out where a fault is costs ten times what finding none does.
  if (!isPlain(root, 0)) throwFault(root)
}

/** Recurses no deeper than `MAX_DEPTH`. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth >= MAX_DEPTH) return false
  if (Array.isArray(value)) return value.every((child) => isPlain(child, depth + 1))
  for (const key in value) {
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') return false
    const child = (value as Record<string, unknown>)[key]
    if (typeof child !== 'string' && !isPlain(child, depth + 1)) return false
  }
  return true
}

function throwFault(root: unknown): void {
  const pending: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 0 }]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { value, path, depth } = next
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw invalid(`the number at ${shorten(path)} is too large; numbers must lie within the range of a 64-bit float`, [
        { path: shorten(path), message: 'not a finite number' },
      ])
    }
    if (typeof value !== 'object' || value === null) continue
    if (depth >= MAX_DEPTH) {
      throw invalid(`the body is nested deeper than ${MAX_DEPTH} levels; flatten it`, [{ path: shorten(path), message: 'nested too deep' }])
    }
    const isArray = Array.isArray(value)
    for (const key of Object.keys(value)) {
      if (!isArray && FORBIDDEN_KEYS.has(key)) {
        throw invalid(`the key "${key}" at ${shorten(path)} is not allowed; rename it`, [{ path: shorten(path + pointerStep(key)), message: 'reserved key' }])
      }
      const child = (value as Record<string, unknown>)[key]
      if (typeof child === 'object' || typeof child === 'number') pending.push({ value: child, path: path + pointerStep(key), depth: depth + 1 })
    }
  }
}

/** A pointer that fits an answer: keys can be as long as the body. */
function shorten(path: string): string {
  return path === '' ? '/' : path.length > 200 ? `${path.slice(0, 200)}…` : path
}
