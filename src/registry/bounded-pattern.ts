import { judgePattern } from './unsafe-pattern.ts'

/**
 * Makes the matcher of a pattern for ajv. One whose time may grow with the square of the text's length matches no text that is
 * longer than `longestText`, since a single event of 32 KB could otherwise stop the process for half a second.
 */
export function boundedPattern(pattern: string, flags: string): { test(text: string): boolean } {
  const expression = new RegExp(pattern, flags)
  const longest = longestText(pattern)
  if (longest === Infinity) return expression
  const bounded = {
    test: (text: string) => text.length <= longest && expression.test(text),
    toString: () => `bounded ${String(expression)}`, // ajv tells matchers apart by this
  }
  return bounded
}

/** The length of the longest text on which a pattern is tried; 0 for one that must not be used at all. */
export function longestText(pattern: string): number {
  const verdict = judgePattern(pattern)
  return 'fault' in verdict ? 0 : verdict.maxTextLength
}

// Ajv asks for the source of the engine, for code that is written to a file; ours never is.
boundedPattern.code = 'boundedPattern'
