/** Whether two JSON values are the same, whatever the order of their keys; `1` and `1.0`, `0` and `-0` are the same number. */
export function jsonEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    return Array.isArray(one) && Array.isArray(other) && one.length === other.length && one.every((item, index) => jsonEqual(item, other[index]))
  }
  const names = Object.keys(one)
  if (names.length !== Object.keys(other).length) return false
  return names.every((name) => Object.hasOwn(other, name) && jsonEqual((one as Record<string, unknown>)[name], (other as Record<string, unknown>)[name]))
}
