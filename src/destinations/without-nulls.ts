/**
 * A copy without the keys that hold `null`, at every depth: vendors disagree on whether `null` means nothing, an empty value or
 * a fault of type. Elements of arrays keep their places.
 */
export function withoutNulls(record: Record<string, unknown> = {}): Record<string, unknown> {
  const kept = Object.entries(record).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(kept.map(([key, value]) => [key, copy(value)]))
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  return typeof value === 'object' && value !== null ? withoutNulls(value as Record<string, unknown>) : value
}
