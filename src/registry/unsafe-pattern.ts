import { peakAmbiguity } from './regex-ambiguity.ts'
import type { Effort } from './regex-ambiguity.ts'
import { MAX_POSITIONS, TooLarge } from './regex-automaton.ts'
import { RefusedSyntax, parseRegex } from './regex-syntax.ts'
import type { RegexNode } from './regex-syntax.ts'

/** The longest text on which a pattern may be tried, `Infinity` where the time grows with the length only; or why it is refused. */
export type PatternVerdict = { maxTextLength: number } | { fault: string }

const MAX_PATTERN_LENGTH = 1000
// For each character of a text, so many states of the engine: 32,000 characters stay below 20 ms.
const MAX_LINEAR_WAYS = 64
// The same for each pair of characters of a text: some 15 ms. A pattern with one way may be tried on 2,000 characters.
const MAX_QUADRATIC_STEPS = 4_000_000
/** Every pattern that is not refused is tried on texts up to this length. */
export const MIN_TEXT_LENGTH = 1000
const MAX_QUADRATIC_WAYS = MAX_QUADRATIC_STEPS / MIN_TEXT_LENGTH ** 2
// Some 40 ms.
const MAX_EFFORT = 200_000

/**
 * Says why a pattern must not be matched against texts that strangers send, or `undefined` when it is safe: it is valid under
 * the `u` flag, and the time it takes grows at most with the square of the text's length. See bounded-pattern.ts for that case.
 */
export function explainUnsafePattern(pattern: string): string | undefined {
  const verdict = judgePattern(pattern)
  return 'fault' in verdict ? verdict.fault : undefined
}

/**
 * Judges a pattern by its structure. Its time is linear when a text can be read in a bounded number of ways. It is quadratic when
 * the pattern falls into two linear parts, since only the place between them is open: in `^[^@]+@[^@]+\.[^@]+$`, and in linear
 * ones that are searched for anywhere in the text. All others are refused, and with them a few that would be safe.
 */
export function judgePattern(pattern: string): PatternVerdict {
  if (pattern.length > MAX_PATTERN_LENGTH) return { fault: `it has ${pattern.length} characters; at most ${MAX_PATTERN_LENGTH} are allowed` }
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    return { fault: `it is no regular expression of ECMAScript with the u flag (${(error as Error).message.split(': ').at(-1)})` }
  }
  try {
    return judgeAlternatives(parseRegex(pattern))
  } catch (error) {
    if (error instanceof RefusedSyntax) return { fault: error.message }
    if (error instanceof TooLarge) return { fault: `it is too large to be judged: with its counted repetitions written out it must stay below ${MAX_POSITIONS} characters, and simple; bound the length with maxLength instead` }
    throw error
  }
}

function judgeAlternatives(regex: RegexNode): PatternVerdict {
  const effort: Effort = { left: MAX_EFFORT }
  let linearWays = 0
  let quadraticWays = 0
  for (const alternative of regex.kind === 'choice' ? regex.items : [regex]) {
    const items = alternative.kind === 'sequence' ? alternative.items : [alternative]
    const linear = peakAmbiguity(items, { isSearch: isSearch(items), isWhole: true, limit: MAX_LINEAR_WAYS, effort })
    if (linear !== undefined) linearWays += linear
    else quadraticWays += waysInTwoParts(items, effort) ?? Infinity
    if (linearWays > MAX_LINEAR_WAYS || quadraticWays > MAX_QUADRATIC_WAYS) return { fault: explain(items, effort) }
  }
  return { maxTextLength: quadraticWays === 0 ? Infinity : Math.floor(Math.sqrt(MAX_QUADRATIC_STEPS / quadraticWays)) }
}

/** The fewest ways over all places at which the items can be cut into two linear parts; the search may be the first part alone. */
function waysInTwoParts(items: readonly RegexNode[], effort: Effort): number | undefined {
  const part = { isSearch: false, isWhole: false, limit: MAX_QUADRATIC_WAYS, effort }
  let fewest: number | undefined
  for (let cut = 0; cut < items.length; cut += 1) {
    const before = peakAmbiguity(items.slice(0, cut), { ...part, isSearch: cut > 0 && isSearch(items) })
    if (before === undefined) return fewest // a longer first part has all the ways of a shorter one
    const after = peakAmbiguity(items.slice(cut), part)
    if (after !== undefined && (fewest === undefined || before * after < fewest)) fewest = before * after
  }
  return fewest
}

function isSearch([first]: readonly RegexNode[]): boolean {
  return !(first?.kind === 'assertion' && first.source === '^')
}

/** Names the repeated part that is unsafe by itself, if there is one. */
function explain(items: readonly RegexNode[], effort: Effort): string {
  const culprit = items.find((item) => item.kind === 'repeat' && peakAmbiguity([item], { isSearch: false, isWhole: false, limit: MAX_LINEAR_WAYS, effort }) === undefined)
  if (culprit?.kind === 'repeat') {
    return `it can backtrack without bound, because ${shorten(culprit.source)} can match the same text in many ways; let each repetition begin with a character that its inside does not end with, as in ^[a-z]+(-[a-z]+)*$`
  }
  const start = isSearch(items) ? 'begin it with ^ and ' : ''
  return `it can backtrack without bound, because several of its repetitions can match the same characters; ${start}separate them by characters that they exclude, as in ^[^,]*,[^,]*$`
}

function shorten(source: string): string {
  return source.length > 60 ? `${source.slice(0, 59)}…` : source
}
