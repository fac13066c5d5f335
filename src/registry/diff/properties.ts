import type { Pair } from './comparison.ts'
import { eitherBreaks } from './finding.ts'
import type { Breaks, Finding } from './finding.ts'
import { definitionsForOther, isOpen, shapeOf } from './object-shape.ts'
import { own } from './own.ts'
import { suspectRenames } from './renames.ts'
import { isSchemaObject } from '../subschemas.ts'

/** Rules `prop.*`: properties that both sides list, one side lists, or that are required without being listed. */
export function compareProperties(pair: Pair): void {
  const { from, to } = pair
  const removed = Object.keys(from.properties).filter((name) => !Object.hasOwn(to.properties, name))
  const added: string[] = []
  for (const [name, definition] of Object.entries(to.properties)) {
    if (Object.hasOwn(from.properties, name)) pair.descend({ to: 'property', name }, from.properties[name], definition)
    else added.push(name)
  }
  compareNames(pair, removed, added)
  for (const name of to.required) if (!from.required.has(name)) reportRequired(pair, name, true)
  for (const name of from.required) if (!to.required.has(name)) reportRequired(pair, name, false)
}

function compareNames(pair: Pair, removed: readonly string[], added: readonly string[]): void {
  if (removed.length === 0 && added.length === 0) return
  const renamed = renamesByAlias(pair, removed, added)
  for (const [name, old] of renamed) reportRenamed(pair, old, name)
  const old = new Set(renamed.values())
  const gone = removed.filter((name) => !old.has(name))
  const arrived = added.filter((name) => !renamed.has(name))
  for (const name of gone) reportRemoved(pair, name)
  for (const name of arrived) reportAdded(pair, name)
  suspectRenames(pair, gone, arrived)
}

/** A property that one side requires and the other does not, though both or neither list it. */
function reportRequired({ from, to, report }: Pair, name: string, isRequired: boolean): void {
  if (Object.hasOwn(from.properties, name) !== Object.hasOwn(to.properties, name)) return
  const property = { name, from: own(from.properties, name), to: own(to.properties, name) }
  if (isRequired) report({ rule: 'prop.became-required', breaks: { producers: true }, says: 'became required', property, from: false, to: true })
  else report({ rule: 'prop.became-optional', breaks: { consumers: true }, says: 'became optional', property, from: true, to: false })
}

function reportRemoved(pair: Pair, name: string): void {
  const isRequired = pair.from.required.has(name)
  const acceptance = removalBreaks(pair, name)
  const property = { name, from: pair.from.properties[name], to: undefined }
  pair.report({
    rule: isRequired ? 'prop.required-removed' : 'prop.optional-removed',
    kind: 'MAJOR', // a column that dashboards read is gone, even where senders may go on sending it
    breaks: { producers: acceptance.producers, consumers: true },
    acceptance,
    says: (subject) => `${isRequired ? 'required' : 'optional'} ${subject} removed`,
    property,
    from: property.from,
  })
}

function reportAdded(pair: Pair, name: string): void {
  const definition = pair.to.properties[name]
  const acceptance = additionBreaks(pair, name)
  const isRequired = pair.to.required.has(name)
  const isOpenBefore = isOpen(shapeOf(pair.from))
  const claim = { property: { name, from: undefined, to: definition }, says: (subject: string) => `${isRequired ? 'required' : 'optional'} ${subject} added`, to: definition }
  if (isNewlyRequired(pair, name)) {
    const rule = isSchemaObject(definition) && 'default' in definition ? 'prop.required-added-default' : 'prop.required-added'
    pair.report({ ...claim, rule, breaks: acceptance })
    return
  }
  pair.report({
    ...claim,
    rule: isOpenBefore ? 'prop.optional-added-open' : 'prop.optional-added',
    kind: isOpenBefore || !acceptance.producers ? 'MINOR' : 'MAJOR',
    breaks: { producers: acceptance.producers, consumers: true },
    acceptance,
    // From an open event senders may already send the name, with any value; only their traffic can tell.
    ...(isOpenBefore && acceptance.producers ? { shownBy: 'undecided' as const } : {}),
  })
}

/** Reports a property that lists the removed one's name among its aliases. Validation itself knows no aliases. */
function reportRenamed(pair: Pair, old: string, name: string): void {
  const definition = pair.to.properties[name]
  const removal = removalBreaks(pair, old)
  const isForced = removal.producers || isNewlyRequired(pair, name)
  const acceptance = eitherBreaks(removal, additionBreaks(pair, name))
  pair.report({
    rule: 'prop.renamed-with-alias',
    kind: isForced ? 'MAJOR' : 'MINOR',
    breaks: { producers: acceptance.producers, consumers: true },
    acceptance,
    ...(isForced || !acceptance.producers ? {} : { shownBy: 'undecided' as const }),
    says: (subject) => `${subject} renamed from '${old}', which stays as an alias`,
    property: { name, from: undefined, to: definition },
    from: old,
    to: name,
  })
  const isItself = (finding: Finding): boolean => finding.rule === 'ann.alias-added' && finding.at.length === 0 && finding.to === old
  pair.descendAside({ to: 'property', name }, pair.from.properties[old], definition, (finding) => !isItself(finding))
}

function renamesByAlias(pair: Pair, removed: readonly string[], added: readonly string[]): Map<string, string> {
  const left = new Set(removed)
  const renamed = new Map<string, string>()
  for (const name of added) {
    const definition = pair.to.properties[name]
    const aliases: unknown[] = isSchemaObject(definition) && Array.isArray(definition['aliases']) ? definition['aliases'] : []
    const old = aliases.find((alias) => typeof alias === 'string' && left.delete(alias))
    if (typeof old === 'string') renamed.set(name, old)
  }
  return renamed
}

function isNewlyRequired({ from, to }: Pair, name: string): boolean {
  return to.required.has(name) && !from.required.has(name)
}

/** What it means for events that a name is listed no more: it falls under the rule for other names. */
function removalBreaks(pair: Pair, name: string): Breaks {
  const { definitions, isCertain } = definitionsForOther(shapeOf(pair.to), name)
  const outcomes = definitions.map((definition) => pair.compare(pair.from.properties[name], definition).breaks)
  return {
    producers: isNewlyRequired(pair, name) || !isCertain || outcomes.some(({ producers }) => producers),
    consumers: isNoLongerRequired(pair, name) || !isCertain || outcomes.every(({ consumers }) => consumers),
  }
}

/** What it means for events that a name is listed which fell under the rule for other names. */
function additionBreaks(pair: Pair, name: string): Breaks {
  const { definitions, isCertain } = definitionsForOther(shapeOf(pair.from), name)
  const outcomes = definitions.map((definition) => pair.compare(definition, pair.to.properties[name]).breaks)
  return {
    producers: isNewlyRequired(pair, name) || !isCertain || outcomes.every(({ producers }) => producers),
    consumers: isNoLongerRequired(pair, name) || !isCertain || outcomes.some(({ consumers }) => consumers),
  }
}

function isNoLongerRequired({ from, to }: Pair, name: string): boolean {
  return from.required.has(name) && !to.required.has(name)
}
