import type { Pair } from './comparison.ts'
import type { Definition } from './definition.ts'
import { ANY_TYPE, NO_TYPE, NULL, typeNames } from './type-set.ts'
import type { TypeSet } from './type-set.ts'

/** Whether no value can be of a type that both definitions allow; then nothing else about them is worth comparing. */
export function typesAreDisjoint({ from, to }: Pair): boolean {
  return from.declared !== to.declared && (from.possible & to.possible) === NO_TYPE && from.possible !== NO_TYPE && to.possible !== NO_TYPE
}

/** Rules `type.*`. */
export function compareTypes(pair: Pair): void {
  const { from, to, report } = pair
  if (from.declared === to.declared) return
  const names = { from: typeNames(toldTypes(from)), to: typeNames(toldTypes(to)) }
  const says = `type changed from ${names.from} to ${names.to}`
  if (typesAreDisjoint(pair)) {
    report({ rule: 'type.changed', breaks: { producers: true, consumers: true }, says, ...names })
    return
  }
  const lost = from.possible & ~to.declared
  const gained = to.possible & ~from.declared
  // To have no type any longer, or to get one, is one change, though null is among the types.
  const lostTypes = from.declared === ANY_TYPE ? lost : lost & ~NULL
  const gainedTypes = to.declared === ANY_TYPE ? gained : gained & ~NULL
  const isBoth = lostTypes !== NO_TYPE && gainedTypes !== NO_TYPE
  if (lost !== lostTypes) report({ rule: 'type.nullable-removed', breaks: { producers: true }, says: 'no longer allows null', ...names })
  if (gained !== gainedTypes) report({ rule: 'type.nullable-added', breaks: { consumers: true }, says: 'now allows null', ...names })
  if (lostTypes !== NO_TYPE) report({ rule: 'type.narrowed', breaks: { producers: true }, says: isBoth ? `no longer allows type ${typeNames(lostTypes)}` : says, ...names })
  if (gainedTypes !== NO_TYPE) {
    report({ rule: 'type.widened', kind: 'MAJOR', breaks: { consumers: true }, says: isBoth ? `now allows type ${typeNames(gainedTypes)}` : says, ...names })
  }
  if (lost === NO_TYPE && gained === NO_TYPE) reportSpelling(pair)
}

/** The listed values are of the types that are now given, or no longer. */
function reportSpelling({ from, to, report }: Pair): void {
  const names = { from: typeNames(from.declared), to: typeNames(to.declared) }
  report({ rule: 'ann.no-effect', says: `type changed from ${names.from} to ${names.to}, without effect on its values`, ...names })
}

/** What to call a definition's types: where `type` is not given, those of the values that it lists. */
function toldTypes({ declared, possible }: Definition): TypeSet {
  return declared === ANY_TYPE ? possible : declared
}
