import { characterKinds } from './regex-alphabet.ts'
import { TooLarge, buildAutomaton } from './regex-automaton.ts'
import type { Automaton, Ways } from './regex-automaton.ts'
import type { RegexNode } from './regex-syntax.ts'

/** How much work may still go into judging one pattern, in edges followed. */
export interface Effort {
  left: number
}

export interface Question {
  /** Whether the match may begin anywhere in the text. */
  isSearch: boolean
  /** Whether nothing comes after the items, so that reaching their end ends the search. */
  isWhole: boolean
  limit: number
  effort: Effort
}

// The position, in front of all others, at which an engine begins its search anew.
const SEARCH = -1

/**
 * Counts in how many ways at most a text can lead into the items, or to their end: the number of states in which a backtracking
 * engine can stand after the same characters. While that has a bound, the time of a match grows with the text's length only.
 *
 * Walks through all vectors "position → ways" that texts can cause, as the subset construction walks through sets, so all ways
 * are counted on the same text. Their number is finite exactly when the bound exists. What a loop tries in vain with nothing to
 * match is counted on top: it ends at once, but takes as long as a way.
 * @returns `undefined` when it is more than `limit`, which is so when there is no bound
 * @throws TooLarge when the effort does not suffice to tell
 */
export function peakAmbiguity(items: readonly RegexNode[], { isSearch, isWhole, limit, effort }: Question): number | undefined {
  const automaton = buildAutomaton(items)
  if (!isWhole) automaton.final.clear()
  const steps = stepsByKind(automaton, effort)
  const start: Ways = new Map([[isSearch ? SEARCH : automaton.atoms.length, 1]]) // without a search it is never entered again
  const seen = new Set([keyOf(start)])
  let peak = 1
  for (const pending = [start]; pending.length > 0; ) {
    const vector = pending.pop() as Ways
    for (const step of steps) {
      const next = follow(vector, step, automaton, effort)
      const ambiguity = ambiguityOf(next, automaton.atoms.length - 1) * (1 + automaton.emptyTries)
      if (ambiguity > limit) return undefined
      peak = Math.max(peak, ambiguity)
      const key = keyOf(next)
      if (seen.has(key)) continue
      seen.add(key)
      pending.push(next)
    }
  }
  return peak
}

/** For each kind of character, what every position can go on to with it; behind the positions stands the start of the items. */
function stepsByKind(automaton: Automaton, effort: Effort): Ways[][] {
  const kinds = characterKinds(new Set(automaton.atoms))
  const all = [...automaton.follow, automaton.first]
  return [...new Set([...kinds.values()].flatMap((some) => [...some]))].map((kind) => {
    const accepted = new Set([...automaton.atoms.keys()].filter((position) => kinds.get(automaton.atoms[position] as string)?.has(kind)))
    return all.map((ways) => {
      spend(effort, 1 + ways.size)
      return new Map([...ways].filter(([position]) => accepted.has(position)))
    })
  })
}

function follow(vector: Ways, step: Ways[], automaton: Automaton, effort: Effort): Ways {
  const next: Ways = new Map()
  for (const [position, ways] of vector) {
    const edges = step.at(position) as Ways
    spend(effort, 1 + edges.size)
    for (const [target, times] of edges) next.set(target, (next.get(target) ?? 0) + ways * times)
  }
  // A later start is only tried after the earlier ones have failed, which they no longer can.
  if (vector.has(SEARCH) && ![...next.keys()].some((position) => automaton.final.has(position))) next.set(SEARCH, 1)
  return next
}

function spend(effort: Effort, steps: number): void {
  effort.left -= steps
  if (effort.left < 0) throw new TooLarge()
}

function ambiguityOf(vector: Ways, end: number): number {
  let inside = 0
  for (const [position, ways] of vector) if (position !== end) inside += ways
  return Math.max(inside, vector.get(end) ?? 0)
}

function keyOf(vector: Ways): string {
  return [...vector].sort(([one], [other]) => one - other).join(' ')
}
