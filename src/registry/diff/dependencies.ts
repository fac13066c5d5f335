import type { Pair } from './comparison.ts'
import type { Definition } from './definition.ts'
import { own } from './own.ts'
import { constraintBreaks } from './relevance.ts'
import { show } from './show.ts'
import { OBJECT } from './type-set.ts'

/** Rules `obj.dependent-required` and `obj.dependent-schemas`. */
export function compareDependencies(pair: Pair): void {
  compareDependentRequired(pair)
  const before = mapOf(pair.from, 'dependentSchemas')
  const after = mapOf(pair.to, 'dependentSchemas')
  for (const trigger of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const from = own(before, trigger) ?? true
    const to = own(after, trigger) ?? true
    const step = { to: 'branch', keyword: 'dependentSchemas', key: trigger } as const
    if (Object.hasOwn(before, trigger) && Object.hasOwn(after, trigger)) {
      pair.descendAs('obj.dependent-schemas', step, from, to)
      continue
    }
    const { breaks } = pair.compare(from, to)
    const word = Object.hasOwn(after, trigger) ? 'must now keep to a further definition' : 'no longer needs to keep to a further definition'
    pair.report({ rule: 'obj.dependent-schemas', breaks, says: `${word} when ${show(trigger)} is present`, from: own(before, trigger), to: own(after, trigger) })
  }
}

function compareDependentRequired(pair: Pair): void {
  const before = mapOf(pair.from, 'dependentRequired')
  const after = mapOf(pair.to, 'dependentRequired')
  for (const trigger of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const from = namesOf(before, trigger)
    const to = namesOf(after, trigger)
    for (const name of to) if (!from.has(name)) reportDependent(pair, trigger, name, true)
    for (const name of from) if (!to.has(name)) reportDependent(pair, trigger, name, false)
  }
}

function reportDependent(pair: Pair, trigger: string, name: string, isNew: boolean): void {
  // A property that is required anyway is not required more because another one is there.
  const tighter = isNew && !pair.from.required.has(name) && name !== trigger
  const looser = !isNew && !pair.to.required.has(name) && name !== trigger
  pair.report({
    rule: tighter || looser ? 'obj.dependent-required' : 'ann.no-effect',
    breaks: constraintBreaks(pair, OBJECT, { tighter, looser }),
    says: (subject) => `${subject} ${isNew ? 'now' : 'no longer'} needs ${show(name)} when ${show(trigger)} is present`,
    ...(isNew ? { to: name } : { from: name }),
  })
}

function mapOf({ keywords }: Definition, keyword: string): Record<string, unknown> {
  return (keywords[keyword] ?? {}) as Record<string, unknown>
}

function namesOf(map: Record<string, unknown>, trigger: string): Set<string> {
  const list = own(map, trigger)
  return new Set(Array.isArray(list) ? list.map(String) : [])
}
