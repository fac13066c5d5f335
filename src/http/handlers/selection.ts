import { invalid } from '../../error.ts'

/**
 * Makes sure that a call which acts on many things says which: some filter, or `all: true` in so many words.
 * An empty body must not empty the quarantine.
 * @throws SignalbookError `invalid_request` listing what can be given
 */
export function selectionOf(given: object, ids: number[] | undefined, choices: string): { ids: number[] | undefined } {
  const { all, ...filters } = given as { all?: boolean } & Record<string, unknown>
  const isNarrowed = ids !== undefined || Object.values(filters).some((value) => value !== undefined)
  if (all !== true && !isNarrowed) throw invalid(`say which are meant: ${choices}, or all=true for every one`)
  return { ids }
}
