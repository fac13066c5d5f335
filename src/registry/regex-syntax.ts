/** What a regular expression of the `u` flag is made of, as far as the ways to match matter; captures do not. */
export type RegexNode =
  | { kind: 'character'; source: string }
  /** `^`, `$`, `\b` or `\B`: matches nothing, and may refuse to. */
  | { kind: 'assertion'; source: string }
  | { kind: 'sequence'; items: RegexNode[] }
  | { kind: 'choice'; items: RegexNode[] }
  | { kind: 'repeat'; item: RegexNode; min: number; max: number; source: string }

/** Thrown for a part of the language that is valid but not allowed; the message says which and why. */
export class RefusedSyntax extends Error {}

// Alternatives by their first characters: escapes, classes, group openings, then any one code point.
const TOKEN =
  /\\(?:u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])|\[(?:\\[^]|[^\\\]])*\]|\(\?(?:<?[=!]|:|<[^>]*>|[^])|[^]/uy
const QUANTIFIER = /([*+?]|\{(\d+)(,(\d*))?\})\??/uy

/**
 * Parses a pattern that `new RegExp(pattern, 'u')` has accepted; on any other the result means nothing.
 * @throws RefusedSyntax for look-around, back-references and flags inside the pattern
 */
export function parseRegex(pattern: string): RegexNode {
  const reader = { pattern, position: 0 }
  return readChoice(reader)
}

interface Reader {
  pattern: string
  position: number
}

function readChoice(reader: Reader): RegexNode {
  const items = [readSequence(reader)]
  while (reader.pattern[reader.position] === '|') {
    reader.position += 1
    items.push(readSequence(reader))
  }
  return items.length === 1 ? (items[0] as RegexNode) : { kind: 'choice', items }
}

function readSequence(reader: Reader): RegexNode {
  const items: RegexNode[] = []
  while (reader.position < reader.pattern.length && !'|)'.includes(reader.pattern[reader.position] as string)) {
    const start = reader.position
    const atom = readAtom(reader)
    const item = withQuantifier(reader, atom, start)
    // A group that is not repeated only brackets its items.
    if (item.kind === 'sequence') items.push(...item.items)
    else items.push(item)
  }
  return { kind: 'sequence', items }
}

function readAtom(reader: Reader): RegexNode {
  const source = take(reader, TOKEN)?.[0] ?? ''
  if (source === '^' || source === '$' || source === '\\b' || source === '\\B') return { kind: 'assertion', source }
  if (/^\\[1-9k]/.test(source)) throw new RefusedSyntax(`it has the back-reference "${source}", whose cost has no bound; write the repeated part out`)
  if (/^\(\?<?[=!]/.test(source)) throw new RefusedSyntax(`it has the look-around "${source}", whose cost has no bound; use allOf with several patterns`)
  if (/^\(\?[^:<]/.test(source)) throw new RefusedSyntax(`it sets flags with "${source}"; write both cases out, as in [Aa]`)
  if (!source.startsWith('(')) return { kind: 'character', source }
  const inside = readChoice(reader)
  reader.position += 1 // the closing bracket
  return inside
}

function withQuantifier(reader: Reader, item: RegexNode, start: number): RegexNode {
  const match = take(reader, QUANTIFIER)
  if (!match) return item
  const source = reader.pattern.slice(start, reader.position)
  const [, symbol, least, comma, most] = match
  if (symbol === '*') return { kind: 'repeat', item, min: 0, max: Infinity, source }
  if (symbol === '+') return { kind: 'repeat', item, min: 1, max: Infinity, source }
  if (symbol === '?') return { kind: 'repeat', item, min: 0, max: 1, source }
  const min = Number(least)
  const max = comma === undefined ? min : most === '' ? Infinity : Number(most)
  return { kind: 'repeat', item, min, max, source }
}

function take(reader: Reader, expression: RegExp): RegExpExecArray | null {
  expression.lastIndex = reader.position
  const match = expression.exec(reader.pattern)
  if (match) reader.position = expression.lastIndex
  return match
}
