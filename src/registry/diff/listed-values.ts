import { canonicalText } from './canonical-text.ts'
import { divides } from './decimal.ts'
import type { Breaks } from './finding.ts'
import { bearsOn } from './keyword-types.ts'
import type { Definition } from './definition.ts'
import { NO_TYPE, typeOfValue } from './type-set.ts'

/**
 * Whom no change can break, because the few values that one side lists are all allowed by the other: a maximum length of 50 means
 * nothing to a list of two short words.
 */
export function unbreakable(from: Definition, to: Definition): Breaks {
  return { producers: areAllAllowed(from.values, to), consumers: areAllAllowed(to.values, from) }
}

const MAX_VALUES = 200

function areAllAllowed(values: readonly unknown[] | undefined, definition: Definition): boolean {
  return values !== undefined && values.length <= MAX_VALUES && values.every((value) => isSurelyAllowed(value, definition))
}

function isSurelyAllowed(value: unknown, { declared, values, keywords, conjuncts }: Definition): boolean {
  if (typeof value === 'object' && value !== null) return false // may be allowed; its parts are not looked at here
  if (conjuncts.length > 0 || (typeOfValue(value) & declared) === NO_TYPE) return false
  if (values && !values.some((other) => canonicalText(other) === canonicalText(value))) return false
  const bearing = Object.entries(keywords).filter(([name, wanted]) => (bearsOn(name, wanted) & typeOfValue(value)) !== NO_TYPE)
  return bearing.every(([name, wanted]) => KEEPS_TO[name]?.(value as never, wanted as never) ?? false)
}

const KEEPS_TO: Readonly<Record<string, (value: never, wanted: never) => boolean>> = {
  minLength: (text: string, length: number) => [...text].length >= length,
  maxLength: (text: string, length: number) => [...text].length <= length,
  minimum: (number: number, limit: number) => number >= limit,
  maximum: (number: number, limit: number) => number <= limit,
  exclusiveMinimum: (number: number, limit: number) => number > limit,
  exclusiveMaximum: (number: number, limit: number) => number < limit,
  multipleOf: (number: number, step: number) => divides(step, number),
}
