import { isAssertion } from './keyword-types.ts'

// Read on their own by `normal-form.ts` and `plain-keywords.ts`, or without meaning for any value.
const READ_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['type', 'nullable', 'enum', 'const', 'properties', 'required', 'allOf', '$ref', 'dependencies'],
  ...['$defs', 'definitions', '$schema', '$id', 'id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef', '$recursiveAnchor', '$vocabulary'],
])

/** Keywords of JSON Schema and of this registry that describe a value and refuse none. */
export const DESCRIPTIVE: ReadonlySet<string> = new Set([
  ...['title', 'description', 'examples', 'example', '$comment', 'deprecated', 'readOnly', 'writeOnly', 'default'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema', 'pii', 'hash', 'aliases'],
])

/** The keywords of a definition that refuse no value: those that describe, and those that nobody here knows. */
export function annotationsOf(source: Record<string, unknown>): Record<string, unknown> {
  const annotations: Record<string, unknown> = {}
  for (const name in source) if (!READ_ELSEWHERE.has(name) && !isAssertion(name)) annotations[name] = source[name]
  return annotations
}

/** Whether a definition is `true` written in any way: only annotations, or nothing at all. */
export function refusesNothing(definition: unknown): boolean {
  if (definition === undefined || definition === true) return true
  if (typeof definition !== 'object' || definition === null) return false
  return Object.entries(definition).every(([name, value]) => isHarmless(name, value))
}

/** Whether a keyword's value is the one that it has when it is left out. */
export function isIdle(name: string, value: unknown): boolean {
  return value === 0 ? name === 'minLength' || name === 'minItems' || name === 'minProperties' : name === 'uniqueItems' && value === false
}

function isHarmless(name: string, value: unknown): boolean {
  if (name === 'required') return typeof value === 'boolean' // speaks of the property in its parent
  if (isIdle(name, value)) return true
  return !isAssertion(name) && (!READ_ELSEWHERE.has(name) || name === '$defs' || name === 'definitions' || name === '$schema')
}
