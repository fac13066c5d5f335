import { canonicalText } from './canonical-text.ts'
import type { Pair } from './comparison.ts'

/**
 * Rule `prop.rename-suspected`: exactly one property was removed and exactly one added with the same definition. To pair by type
 * alone would call any two changes a rename.
 */
export function suspectRenames(pair: Pair, removed: readonly string[], added: readonly string[]): void {
  for (const [old, name] of pairsOf(pair, removed, added)) {
    pair.report({
      rule: 'prop.rename-suspected',
      says: (subject) => `${subject} has the definition that '${old}' had; if it was renamed, list '${old}' in its aliases`,
      property: { name, from: undefined, to: pair.to.properties[name] },
      from: old,
      to: name,
    })
  }
}

function pairsOf(pair: Pair, removed: readonly string[], added: readonly string[]): [string, string][] {
  const before = groupByText(pair.from.properties, removed)
  const after = groupByText(pair.to.properties, added)
  return [...before].flatMap(([text, [old, another]]): [string, string][] => {
    const [name, other] = after.get(text) ?? []
    return old !== undefined && another === undefined && name !== undefined && other === undefined ? [[old, name]] : []
  })
}

function groupByText(properties: Readonly<Record<string, unknown>>, names: readonly string[]): Map<string, string[]> {
  return Map.groupBy(names, (name) => canonicalText(properties[name]))
}
