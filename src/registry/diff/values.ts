import { canonicalText } from './canonical-text.ts'
import type { Pair } from './comparison.ts'
import { show } from './show.ts'
import { BOOLEAN, NULL, typeOfValue } from './type-set.ts'
import type { TypeSet } from './type-set.ts'

type Values = readonly unknown[]

/** Rules `enum.*` and `const.*`. */
export function compareValues(pair: Pair): void {
  const { from, to, report } = pair
  if (from.values === undefined && to.values === undefined) return
  if (from.values === undefined) return reportNewList(pair, to.values ?? [])
  if (to.values === undefined) return reportLostList(pair, from.values)

  const removed = without(from.values, to.values, to.declared)
  const added = without(to.values, from.values, from.declared)
  if (removed.length === 0 && added.length === 0) return
  const [before] = from.values
  const [after] = to.values
  if (from.values.length === 1 && to.values.length === 1) {
    report({
      rule: 'const.changed',
      breaks: { producers: removed.length > 0, consumers: added.length > 0 },
      says: `constant changed from ${show(before)} to ${show(after)}`,
      from: before,
      to: after,
    })
    return
  }
  if (from.values.length === 1 && removed.length === 0) {
    report({ rule: 'const.removed', breaks: { consumers: true }, says: `constant ${show(before)} widened to ${to.values.length} values`, from: before, to: to.values })
    return
  }
  for (const value of removed) report({ rule: 'enum.value-removed', breaks: { producers: true }, says: `enum value ${show(value)} removed`, from: value })
  for (const value of added) report({ rule: 'enum.value-added', breaks: { consumers: true }, says: `enum value ${show(value)} added`, to: value })
}

function reportNewList({ from, report }: Pair, values: Values): void {
  // A boolean that must be true or false, a null that must be null: the list says what the type said.
  const breaks = { producers: !coversType(values, from.possible) }
  if (values.length === 1) report({ rule: 'const.added', breaks, says: `must now be ${show(values[0])}`, to: values[0] })
  else report({ rule: 'enum.added', breaks, says: `now allows ${values.length} values only: ${showAll(values)}`, to: values })
}

function reportLostList({ to, report }: Pair, values: Values): void {
  const breaks = { consumers: !coversType(values, to.possible) }
  if (values.length === 1) report({ rule: 'const.removed', breaks, says: `no longer needs to be ${show(values[0])}`, from: values[0] })
  else report({ rule: 'enum.removed', breaks, says: `is no longer limited to ${values.length} values: ${showAll(values)}`, from: values })
}

/** Those that the other side does not list, though their type is one that it allows: else the change of type says it. */
function without(values: Values, others: Values, allowed: TypeSet): unknown[] {
  const texts = new Set(others.map(canonicalText))
  return values.filter((value) => !texts.has(canonicalText(value)) && (typeOfValue(value) & allowed) !== 0)
}

function coversType(values: Values, types: TypeSet): boolean {
  if ((types & ~(BOOLEAN | NULL)) !== 0) return false
  return [null, true, false].every((value) => (typeOfValue(value) & types) === 0 || values.includes(value))
}

function showAll(values: Values): string {
  const shown = values.slice(0, 5).map(show).join(', ')
  return values.length > 5 ? `${shown} and ${values.length - 5} more` : shown
}
