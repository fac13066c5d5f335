/**
 * A set of JSON types as bits. Numbers are split into whole ones and others, so that the sets are disjoint and
 * "integer is part of number" needs no special case anywhere.
 */
export type TypeSet = number

export const NULL: TypeSet = 1
export const BOOLEAN: TypeSet = 2
export const OBJECT: TypeSet = 4
export const ARRAY: TypeSet = 8
export const STRING: TypeSet = 16
export const INTEGER: TypeSet = 32
export const FRACTION: TypeSet = 64
export const NUMBER: TypeSet = INTEGER | FRACTION
export const ANY_TYPE: TypeSet = 127
export const NO_TYPE: TypeSet = 0

const BY_NAME: ReadonlyMap<string, TypeSet> = new Map([
  ['string', STRING],
  ['number', NUMBER],
  ['integer', INTEGER],
  ['boolean', BOOLEAN],
  ['object', OBJECT],
  ['array', ARRAY],
  ['null', NULL],
])

/** Reads a `type` keyword: one name or a list of names. */
export function typeSetOf(keyword: unknown): TypeSet {
  const names: unknown[] = Array.isArray(keyword) ? keyword : [keyword]
  return names.reduce<TypeSet>((set, name) => set | (BY_NAME.get(String(name)) ?? NO_TYPE), NO_TYPE)
}

/** The type of one value. */
export function typeOfValue(value: unknown): TypeSet {
  if (value === null) return NULL
  if (Array.isArray(value)) return ARRAY
  if (typeof value === 'number') return Number.isInteger(value) ? INTEGER : FRACTION
  return BY_NAME.get(typeof value) ?? OBJECT
}

/** Names a set as people write it: `string`, `integer or null`, `any`. */
export function typeNames(set: TypeSet): string {
  if (set === ANY_TYPE) return 'any'
  if (set === NO_TYPE) return 'nothing'
  return listTypes(set).join(' or ')
}

/** The names of a set, as a `type` keyword would list them. */
export function listTypes(set: TypeSet): string[] {
  const names: string[] = []
  let rest = set
  for (const [name, bits] of BY_NAME) {
    if ((rest & bits) !== bits) continue
    names.push(name)
    rest &= ~bits
  }
  return rest === NO_TYPE ? names : [...names, 'fraction'] // numbers without the whole ones: no keyword says so
}
