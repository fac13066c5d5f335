// Where `\s`, `.` and their negations change their mind beyond ASCII (ECMA-262, WhiteSpace and LineTerminator).
const SPACES = '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'
const ASCII = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code))
const ELSEWHERE = '\u00e9'
const EXPLICIT = /\\u\{([0-9a-f]+)\}|\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|[^\x00-\x7f]/giu

/**
 * Sorts the characters of all Unicode into kinds that a pattern cannot tell apart, by asking the engine itself about samples:
 * ASCII, all white space, and both sides of every character that the pattern names. Only `\p{...}` has edges elsewhere; beyond
 * ASCII and white space it counts as matching everything, which can make a pattern look more ambiguous than it is, never less.
 * @param atoms sources that match one character each, such as `a`, `\d` or `[^@]`
 * @returns for each atom the kinds that it matches
 */
export function characterKinds(atoms: ReadonlySet<string>): Map<string, Set<number>> {
  const samples = [...new Set([...ASCII, ...SPACES, ELSEWHERE, ...[...atoms].flatMap(namedCharacters)])]
  const kinds = new Map([...atoms].map((atom) => [atom, new Set<number>()]))
  const tests = [...atoms].map((atom) => ({ atom, matches: matcher(atom, samples) }))
  const known = new Map<string, number>()
  for (const sample of samples) {
    const matching = tests.filter(({ matches }) => matches(sample))
    const signature = matching.map(({ atom }) => atom).join('\u0000')
    if (known.has(signature)) continue
    known.set(signature, known.size)
    for (const { atom } of matching) kinds.get(atom)?.add(known.size - 1)
  }
  return kinds
}

function matcher(atom: string, samples: string[]): (character: string) => boolean {
  const expression = new RegExp(`^(?:${atom})$`, 'u')
  const hasProperty = /\\p\{/i.test(atom)
  const mayMatch = (sample: string): boolean => expression.test(sample) || (hasProperty && sample > '\u007f' && !SPACES.includes(sample))
  // What matches no sample, such as [^\s\S], would hide the work that an engine does before it fails there.
  return samples.some(mayMatch) ? mayMatch : () => true
}

function namedCharacters(atom: string): string[] {
  return [...atom.matchAll(EXPLICIT)].flatMap((match) => {
    const [literal, braced, high, low, short, byte] = match
    const text = high && low ? String.fromCharCode(parseInt(high, 16), parseInt(low, 16)) : undefined
    const digits = braced ?? short ?? byte
    const code = digits === undefined ? ((text ?? literal).codePointAt(0) as number) : parseInt(digits, 16)
    return [code - 1, code, code + 1].filter((near) => near > 0x7f && near <= 0x10ffff).map((near) => String.fromCodePoint(near))
  })
}
