const MAX_LENGTH = 60

/** Writes a value into a sentence: strings in single quotes, all else as JSON, cut at 60 characters. */
export function show(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? 'nothing')
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`
}
