import { isSchemaObject } from './subschemas.ts'
import type { JsonSchema } from './subschemas.ts'

/**
 * Reads the steps of a local `$ref`: `#` is the document itself, `#/$defs/money` a place in it (RFC 6901, URI fragment form).
 * @returns `undefined` when the reference leaves the document or is not a JSON pointer
 */
export function refSteps(ref: string): string[] | undefined {
  if (ref === '#') return []
  if (!ref.startsWith('#/')) return undefined
  try {
    return pointerSteps(decodeURIComponent(ref.slice(1)))
  } catch {
    return undefined // a stray % makes it no URI fragment
  }
}

/** Splits a JSON pointer into its steps. */
export function pointerSteps(pointer: string): string[] {
  return pointer.split('/').slice(1).map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Finds what a local `$ref` names inside `root`; `undefined` when it is no local reference or names nothing. */
export function resolveRef(root: JsonSchema, ref: unknown): unknown {
  const steps = typeof ref === 'string' ? refSteps(ref) : undefined
  let found: unknown = steps && root
  for (const step of steps ?? []) {
    if (Array.isArray(found)) found = found[Number(step)]
    else if (isSchemaObject(found) && Object.hasOwn(found, step)) found = found[step]
    else return undefined
  }
  return found
}
