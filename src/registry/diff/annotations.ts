import { DESCRIPTIVE } from './annotation-keywords.ts'
import type { Pair } from './comparison.ts'
import { jsonEqual } from './json-equal.ts'
import { own } from './own.ts'
import { comparePowerless } from './powerless.ts'
import { comparePrivacy } from './privacy.ts'
import type { RuleId } from './rules.ts'
import { show } from './show.ts'

const RULES: Readonly<Record<string, RuleId>> = {
  description: 'ann.description',
  title: 'ann.title',
  examples: 'ann.examples',
  example: 'ann.examples',
  $comment: 'ann.comment',
  deprecated: 'ann.deprecated',
  default: 'ann.default-changed',
}

/** Rules `ann.*`, `privacy.*`, `keyword.unknown`: keywords that refuse no value. */
export function compareAnnotations(pair: Pair): void {
  const { from, to } = pair
  compareAliases(pair)
  comparePrivacy(pair)
  for (const [name, before, after] of differences(from.annotations, to.annotations)) {
    if (name === 'aliases' || name === 'pii' || name === 'hash') continue
    const rule: RuleId = own(RULES, name) ?? (isDescriptive(name) ? 'ann.other' : 'keyword.unknown')
    const change = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
    if (rule === 'keyword.unknown') pair.report({ rule, kind: 'MINOR', shownBy: 'undecided', says: `keyword '${name}' ${change}`, from: before, to: after })
    else pair.report({ rule, says: name === 'description' ? 'description changed' : `${name} ${change}`, from: before, to: after })
  }
  comparePowerless(pair)
}

/** By convention `x-` marks what is for other tools. */
function isDescriptive(name: string): boolean {
  return DESCRIPTIVE.has(name) || name.startsWith('x-')
}

function compareAliases({ from, to, report }: Pair): void {
  const before = namesOf(from.annotations['aliases'])
  const after = namesOf(to.annotations['aliases'])
  for (const alias of after) if (!before.has(alias)) report({ rule: 'ann.alias-added', kind: 'MINOR', says: `alias ${show(alias)} added`, to: alias })
  for (const alias of before) {
    if (after.has(alias)) continue
    report({ rule: 'ann.alias-removed', breaks: { producers: true }, shownBy: 'definition', says: `alias ${show(alias)} removed`, from: alias })
  }
}

function namesOf(aliases: unknown): Set<unknown> {
  return new Set(Array.isArray(aliases) ? aliases : [])
}

function differences(from: Readonly<Record<string, unknown>>, to: Readonly<Record<string, unknown>>): [string, unknown, unknown][] {
  const names = new Set([...Object.keys(from), ...Object.keys(to)])
  return [...names].filter((name) => !jsonEqual(own(from, name), own(to, name))).map((name) => [name, own(from, name), own(to, name)])
}
