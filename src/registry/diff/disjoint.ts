import { canonicalText } from './canonical-text.ts'
import type { Definition } from './definition.ts'
import type { Normaliser } from './normal-form.ts'
import { NO_TYPE, NUMBER, OBJECT, STRING, typeOfValue } from './type-set.ts'

// Alternatives of an event are told apart by a property near the top; and a recursive definition must end.
const MAX_DEPTH = 4
const MAX_MEMBERS = 40

const known = new WeakMap<Normaliser, WeakMap<readonly unknown[], boolean>>()

/** Whether no value can match two of the definitions. `false` means that none of the usual reasons was found. */
export function areDisjoint(side: Normaliser, members: readonly unknown[]): boolean {
  if (members.length > MAX_MEMBERS) return false
  const answers = known.get(side) ?? new WeakMap<readonly unknown[], boolean>()
  known.set(side, answers)
  const answer = answers.get(members) ?? members.every((one, index) => members.slice(index + 1).every((other) => isDisjoint(side, one, other)))
  answers.set(members, answer)
  return answer
}

/** Whether no value can match both definitions, as far as that can be seen. */
export function isDisjoint(side: Normaliser, one: unknown, other: unknown, depth = 0): boolean {
  const first = side.normalise(one)
  const second = side.normalise(other)
  const shared = first.possible & second.possible
  if (shared === NO_TYPE) return true
  if (first.values && second.values) return !haveCommonValue(first.values, second.values)
  if (first.values || second.values) return noneOfTypes((first.values ?? second.values) as readonly unknown[], shared)
  if ((shared & ~NUMBER) === 0) return leaveNoRange(first, second)
  if (shared === STRING) return isBelow(first.keywords['maxLength'], second.keywords['minLength']) || isBelow(second.keywords['maxLength'], first.keywords['minLength'])
  return shared === OBJECT && depth < MAX_DEPTH && haveTellingProperty(side, first, second, depth)
}

function haveCommonValue(one: readonly unknown[], other: readonly unknown[]): boolean {
  const texts = new Set(one.map(canonicalText))
  return other.some((value) => texts.has(canonicalText(value)))
}

function noneOfTypes(values: readonly unknown[], types: number): boolean {
  return values.every((value) => (typeOfValue(value) & types) === NO_TYPE)
}

function leaveNoRange({ keywords: one }: Definition, { keywords: other }: Definition): boolean {
  const isApart = (low: Definition['keywords'], high: Definition['keywords']): boolean =>
    isBelow(low['maximum'], high['minimum']) ||
    isAtMost(low['maximum'], high['exclusiveMinimum']) ||
    isAtMost(low['exclusiveMaximum'], high['minimum']) ||
    isAtMost(low['exclusiveMaximum'], high['exclusiveMinimum'])
  return isApart(one, other) || isApart(other, one)
}

function isBelow(one: unknown, other: unknown): boolean {
  return typeof one === 'number' && typeof other === 'number' && one < other
}

function isAtMost(one: unknown, other: unknown): boolean {
  return isBelow(one, other) || (typeof one === 'number' && one === other)
}

/** A property that must be there on one side, and whose value then tells the two apart. */
function haveTellingProperty(side: Normaliser, one: Definition, other: Definition, depth: number): boolean {
  const names = new Set([...one.required, ...other.required])
  return [...names].some((name) => {
    if (!Object.hasOwn(one.properties, name) || !Object.hasOwn(other.properties, name)) return false
    return isDisjoint(side, one.properties[name], other.properties[name], depth + 1)
  })
}
