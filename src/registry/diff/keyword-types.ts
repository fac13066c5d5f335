import { formats } from '../formats.ts'
import { ANY_TYPE, ARRAY, NO_TYPE, NUMBER, OBJECT, STRING } from './type-set.ts'
import type { TypeSet } from './type-set.ts'

const BEARS_ON: ReadonlyMap<string, TypeSet> = new Map<string, TypeSet>([
  ...['minLength', 'maxLength', 'pattern'].map((name): [string, TypeSet] => [name, STRING]),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map((name): [string, TypeSet] => [name, NUMBER]),
  ...['minItems', 'maxItems', 'uniqueItems', 'prefixItems', 'items', 'contains', 'minContains', 'maxContains', 'unevaluatedItems'].map(
    (name): [string, TypeSet] => [name, ARRAY],
  ),
  ...['minProperties', 'maxProperties', 'propertyNames', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'].map(
    (name): [string, TypeSet] => [name, OBJECT],
  ),
  ...['dependentRequired', 'dependentSchemas'].map((name): [string, TypeSet] => [name, OBJECT]),
  ...['anyOf', 'oneOf', 'not', 'if', 'then', 'else'].map((name): [string, TypeSet] => [name, ANY_TYPE]),
])

/** Whether a keyword can refuse values. `type`, `enum`, `const`, `properties`, `required`, `allOf` and `$ref` are read on their own. */
export function isAssertion(keyword: string): boolean {
  return keyword === 'format' || BEARS_ON.has(keyword)
}

/** The types of value that a keyword can refuse; none for a `format` that the service does not check. */
export function bearsOn(keyword: string, value: unknown): TypeSet {
  if (keyword !== 'format') return BEARS_ON.get(keyword) ?? NO_TYPE
  const format = Object.hasOwn(formats, String(value)) ? formats[String(value)] : undefined
  if (format === undefined || format === true) return NO_TYPE
  return typeof format === 'object' && 'type' in format && format.type === 'number' ? NUMBER : STRING
}
