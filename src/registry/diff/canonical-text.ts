/** Writes a JSON value so that equal values, whatever the order of their keys, are the same text. */
export function canonicalText(value: unknown): string {
  if (Object.is(value, -0)) return '0'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalText(inner)}`).join(',')}}`
}
