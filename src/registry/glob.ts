// A namespace and a name of 100 characters each, and the slash between them.
const MAX_LENGTH = 100 + 1 + 100
const NAME_CHARACTERS = /^[A-Za-z0-9._*-]+$/

/**
 * Says why a text is no pattern over `namespace/name`, or `undefined` when it is one. A pattern is `**` for every event, or a
 * namespace and a name joined by one slash, where `*` stands for any characters: `shop/**` and `shop/*` mean all events of that
 * namespace alone, `shop/checkout_*` some of them, and a namespace written `shop.*` those below it.
 */
export function explainBadGlob(pattern: string): string | undefined {
  if (pattern === '**') return undefined
  const shown = `"${pattern.slice(0, 60)}"`
  if (pattern.length > MAX_LENGTH) return `it has ${pattern.length} characters, at most ${MAX_LENGTH} are allowed`
  const parts = pattern.split('/')
  if (parts.length !== 2) return `${shown} must be ** or have one slash between namespace and name, such as shop/** or shop/checkout_*`
  if (parts.includes('')) return `${shown} lacks ${parts[0] === '' ? 'a namespace before' : 'a name after'} the slash; write * to match any`
  if (!parts.every((part) => NAME_CHARACTERS.test(part))) {
    return `${shown} may hold letters, digits, ".", "_", "-", one "/" and the wildcard "*"; write one pattern for each alternative`
  }
  return undefined
}

/** Makes one question of a source's patterns: does any of them match? No patterns at all mean every event. */
export function compileGlobs(patterns: readonly string[]): (namespace: string, name: string) => boolean {
  if (patterns.length === 0 || patterns.includes('**')) return () => true
  const pairs = patterns.map((pattern) => pattern.split('/')).filter((parts) => parts.length === 2) as [string, string][]
  return (namespace, name) => pairs.some((pair) => matchesWildcards(pair[0], namespace) && matchesWildcards(pair[1], name))
}

/**
 * Matches `*` greedily with two positions: after a mismatch only the last star takes one character more, which is enough, so
 * the work is bounded by pattern length times text length. Regular expressions and the usual glob libraries take minutes on
 * `*a*a*a*a*a*a*a*a*a b`.
 */
function matchesWildcards(pattern: string, text: string): boolean {
  let at = 0
  let star = -1
  let starredFrom = 0
  for (let position = 0; position < text.length; ) {
    if (pattern[at] === '*') {
      star = at
      starredFrom = position
      at += 1
    } else if (pattern[at] === text[position]) {
      at += 1
      position += 1
    } else if (star >= 0) {
      at = star + 1
      starredFrom += 1
      position = starredFrom
    } else {
      return false
    }
  }
  while (pattern[at] === '*') at += 1
  return at === pattern.length
}
