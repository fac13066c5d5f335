import type { RegexNode } from './regex-syntax.ts'

/**
 * A pattern as its characters, and in how many ways one of them can follow another: Glushkov's construction, with counts where
 * he has sets, since each way is one that a backtracking engine tries.
 */
export interface Automaton {
  /** Source of each position's atom; the last position is any character behind the end of the items. */
  atoms: string[]
  first: Ways
  follow: Ways[]
  /** Positions at which the whole has matched, so that no later start is tried; none if an assertion could have prevented it. */
  final: Set<number>
  /** How often a loop is tried in vain with nothing to match, at each step. */
  emptyTries: number
}

/** Position → number of ways to get there. */
export type Ways = Map<number, number>

/** Thrown when counted repetitions unroll to more than can be judged. */
export class TooLarge extends Error {}

interface Fragment {
  /** Ways to match nothing. */
  empty: number
  first: Ways
  last: Ways
}

// A count as large as this is refused anyhow; it must only not grow out of the numbers.
const MANY = 1e6
/** Bounds the work of judging a pattern; the longest in use are some hundred characters. */
export const MAX_POSITIONS = 1000
const MAX_EDGES = 50_000
const MAX_FRAGMENTS = 20_000

/** Builds the automaton of items in sequence. @throws TooLarge */
export function buildAutomaton(items: readonly RegexNode[]): Automaton {
  const builder = new Builder()
  const whole = builder.sequence(items.map((item) => () => builder.fragment(item)))
  const { first } = builder.chain(whole, builder.character('[^]'))
  return { atoms: builder.atoms, first, follow: builder.follow, final: new Set(builder.hasAssertion ? [] : whole.last.keys()), emptyTries: builder.emptyTries }
}

const nothing = (): Fragment => ({ empty: 1, first: new Map(), last: new Map() })

class Builder {
  readonly atoms: string[] = []
  readonly follow: Ways[] = []
  hasAssertion = false
  emptyTries = 0
  private edges = 0
  private fragments = 0

  fragment(node: RegexNode): Fragment {
    this.fragments += 1
    if (this.fragments > MAX_FRAGMENTS) throw new TooLarge()
    switch (node.kind) {
      case 'character':
        return this.character(node.source)
      case 'assertion':
        this.hasAssertion = true
        return nothing()
      case 'sequence':
        return this.sequence(node.items.map((item) => () => this.fragment(item)))
      case 'choice':
        return node.items.map((item) => this.fragment(item)).reduce(either)
      case 'repeat':
        return this.repeat(node)
    }
  }

  /** Takes builders rather than fragments, because each copy of a repeated item needs positions of its own. */
  sequence(builders: readonly (() => Fragment)[]): Fragment {
    return builders.reduce((before, build) => this.chain(before, build()), nothing())
  }

  character(source: string): Fragment {
    const position = this.atoms.push(source) - 1
    this.follow.push(new Map())
    if (position > MAX_POSITIONS) throw new TooLarge()
    return { empty: 0, first: new Map([[position, 1]]), last: new Map([[position, 1]]) }
  }

  /** As engines run it: the least number of copies one after the other, each further one inside the choice to go on. */
  private repeat({ item, min, max }: Extract<RegexNode, { kind: 'repeat' }>): Fragment {
    if (min > MAX_POSITIONS || (max !== Infinity && max > MAX_POSITIONS)) throw new TooLarge()
    const copy = (): Fragment => this.fragment(item)
    const copies = (count: number): (() => Fragment)[] => Array.from({ length: count }, () => copy)
    if (max === Infinity) return min === 0 ? either(this.loop(copy()), nothing()) : this.sequence([...copies(min - 1), () => this.atLeastOnce(copy)])
    const optional = (left: number): Fragment => (left === 0 ? nothing() : either(this.chain(copy(), optional(left - 1)), nothing()))
    return this.sequence([...copies(min), () => optional(max - min)])
  }

  /** One time that may match nothing and then any number that may not, which lets a text be read in more ways than one loop does. */
  private atLeastOnce(copy: () => Fragment): Fragment {
    const once = copy()
    return once.empty === 0 ? this.loop(once) : this.chain(once, either(this.loop(copy()), nothing()))
  }

  private loop(body: Fragment): Fragment {
    this.connect(body.last, body.first)
    this.emptyTries = bounded(this.emptyTries + body.empty)
    return body
  }

  chain(before: Fragment, after: Fragment): Fragment {
    this.connect(before.last, after.first)
    return {
      empty: bounded(before.empty * after.empty),
      first: sum(before.first, after.first, before.empty),
      last: sum(after.last, before.last, after.empty),
    }
  }

  private connect(from: Ways, to: Ways): void {
    this.edges += from.size * to.size
    if (this.edges > MAX_EDGES) throw new TooLarge()
    for (const [source, exits] of from) {
      const edges = this.follow[source] as Ways
      for (const [target, entries] of to) edges.set(target, bounded((edges.get(target) ?? 0) + exits * entries))
    }
  }
}

function either(one: Fragment, other: Fragment): Fragment {
  return {
    empty: bounded(one.empty + other.empty),
    first: sum(one.first, other.first, 1),
    last: sum(one.last, other.last, 1),
  }
}

function sum(one: Ways, other: Ways, times: number): Ways {
  const total = new Map(one)
  if (times === 0) return total
  for (const [position, ways] of other) total.set(position, bounded((total.get(position) ?? 0) + ways * times))
  return total
}

function bounded(ways: number): number {
  return Math.min(ways, MANY)
}
