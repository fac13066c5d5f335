/**
 * Reads a key that a spec wrote. Specs choose the names of properties and keywords: `toString` must not be found where nobody
 * wrote it.
 */
export function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
