import { canonicalText } from './canonical-text.ts'
import type { Pair } from './comparison.ts'
import { NO_TYPE } from './type-set.ts'
import { isSchemaObject, subschemas } from '../subschemas.ts'
import type { Subschema } from '../subschemas.ts'

/** Rule `ann.no-effect`, for keywords that bear on no possible type: someone meant something by them. */
export function comparePowerless(pair: Pair): void {
  const { from, to, report } = pair
  if (from.declared !== to.declared) return // the change of type says what lost its effect
  if (from.possible === NO_TYPE && to.possible === NO_TYPE) return // nothing has an effect on no value
  for (const name of new Set([...Object.keys(from.powerless), ...Object.keys(to.powerless)])) {
    if (name in from.keywords || name in to.keywords) continue // said by the rule of the keyword
    const before = from.powerless[name]
    const after = to.powerless[name]
    if (!meanSame(pair, name, before, after)) report({ rule: 'ann.no-effect', says: `${name} changed, without effect on its values`, from: before, to: after })
  }
}

/** Definitions inside are compared as such, lists of values without regard to order. */
function meanSame(pair: Pair, name: string, before: unknown, after: unknown): boolean {
  if (before === undefined || after === undefined) return false
  if (name === 'enum' || name === 'required') return canonicalText(asSet(before)) === canonicalText(asSet(after))
  const inner = { from: definitionsUnder(name, before), to: definitionsUnder(name, after) }
  if (inner.from.length === 0 && inner.to.length === 0) return canonicalText(before) === canonicalText(after)
  if (inner.from.length !== inner.to.length) return false
  return inner.from.every(({ path, schema }) => {
    const other = inner.to.find((candidate) => candidate.path === path)
    return other !== undefined && pair.compare(schema, other.schema).findings.length === 0
  })
}

function definitionsUnder(name: string, value: unknown): Subschema[] {
  return isSchemaObject(value) || Array.isArray(value) ? subschemas({ [name]: value }) : []
}

function asSet(list: unknown): string[] {
  return Array.isArray(list) ? [...new Set(list.map(canonicalText))].sort() : []
}
