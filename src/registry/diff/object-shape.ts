import { refusesNothing } from './annotation-keywords.ts'
import type { Definition } from './definition.ts'

/** What an object definition says about names that it does not list. */
export interface ObjectShape {
  patterns: Readonly<Record<string, unknown>>
  /** For names that no pattern matches either; `true` when there is no such rule. */
  others: unknown
}

export function shapeOf({ keywords }: Definition): ObjectShape {
  return {
    patterns: (keywords['patternProperties'] ?? {}) as Record<string, unknown>,
    others: 'additionalProperties' in keywords ? keywords['additionalProperties'] : true,
  }
}

/** Whether any further property is allowed, with any value. */
export function isOpen(shape: ObjectShape): boolean {
  return refusesNothing(shape.others) && Object.keys(shape.patterns).length === 0
}

/**
 * What applies to a property that the definition does not list: one or several definitions, all of which it must keep to.
 * `isCertain` is false when a pattern could not be tried on the name.
 */
export function definitionsForOther({ patterns, others }: ObjectShape, name: string): { definitions: unknown[]; isCertain: boolean } {
  const matches = Object.entries(patterns).map(([pattern, definition]) => ({ definition, isMatch: matchesPattern(pattern, name) }))
  const isCertain = matches.every(({ isMatch }) => isMatch !== undefined)
  const matching = matches.filter(({ isMatch }) => isMatch === true).map(({ definition }) => definition)
  return { definitions: matching.length > 0 ? matching : [others], isCertain }
}

/**
 * Whether a property name matches a `patternProperties` key; `undefined` when that is not tried, because a hostile pattern could
 * make it slow, or because the pattern is none.
 */
export function matchesPattern(pattern: string, name: string): boolean | undefined {
  const MAX_LENGTH = 100
  if (name.length > MAX_LENGTH || pattern.length > MAX_LENGTH) return undefined
  try {
    return new RegExp(pattern, 'u').test(name)
  } catch {
    return undefined
  }
}
