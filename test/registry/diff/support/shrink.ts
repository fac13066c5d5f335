import { compileSpec } from '../../../../src/registry/compile.ts'
import { diffSpecs } from '../../../../src/registry/diff/diff.ts'
import type { Contradiction } from './contradictions.ts'

/** Leaves out of both specs and of the event whatever the contradiction does not need, so that a person can see it. */
export function shrink(found: Contradiction): Contradiction {
  let smallest = found
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const candidate of smallerOnes(smallest)) {
      if (!stillContradicts(candidate)) continue
      smallest = candidate
      isSmaller = true
      break
    }
  }
  return { ...smallest, changes: diffSpecs(smallest.from, smallest.to) }
}

function* smallerOnes(contradiction: Contradiction): Generator<Contradiction> {
  for (const path of pathsIn(contradiction.from)) {
    // What both have is left out of both at once, or the two would only differ more.
    yield { ...contradiction, from: without(contradiction.from, path), to: without(contradiction.to, path) }
    yield { ...contradiction, from: without(contradiction.from, path) }
  }
  for (const path of pathsIn(contradiction.to)) yield { ...contradiction, to: without(contradiction.to, path) }
  for (const path of pathsIn(contradiction.event)) yield { ...contradiction, event: without(contradiction.event, path) }
}

function stillContradicts({ from, to, event, missing }: Contradiction): boolean {
  try {
    const accepts = { from: isAccepted(from, event), to: isAccepted(to, event) }
    if (accepts.from === accepts.to || (accepts.from ? 'producers' : 'consumers') !== missing) return false
    return !diffSpecs(from, to, { witness: false }).some((change) => change.breaks.includes(missing))
  } catch {
    return false // no longer a spec
  }
}

function isAccepted(spec: Contradiction['from'], event: Contradiction['event']): boolean {
  return compileSpec(spec).validate(event.properties, event.attributes).length === 0
}

const KEPT: ReadonlySet<string> = new Set(['namespace', 'name', 'version', 'status', 'type', 'event_name'])

function* pathsIn(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (path.length === 0 && KEPT.has(key)) continue
    yield [...path, key]
    yield* pathsIn(inner, [...path, key])
  }
}

function without<T>(value: T, [first, ...rest]: readonly string[]): T {
  if (typeof value !== 'object' || value === null || first === undefined || !Object.hasOwn(value, first)) return value
  if (Array.isArray(value)) {
    return (rest.length === 0 ? value.toSpliced(Number(first), 1) : value.with(Number(first), without(value[Number(first)], rest))) as T
  }
  const { [first]: inner, ...others } = value as Record<string, unknown>
  return (rest.length === 0 ? others : { ...(value as object), [first]: without(inner, rest) }) as T
}
