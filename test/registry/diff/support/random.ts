/** A small seeded generator of random numbers (mulberry32), so that a contradiction can be found again by its seed. */
export interface Random {
  /** A whole number from 0 to below `limit`. */
  below: (limit: number) => number
  chance: (probability: number) => boolean
  pick: <T>(items: readonly T[]) => T
  /** Some of the items, in their order. */
  some: <T>(items: readonly T[], most: number) => T[]
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const random: Random = {
    below: (limit) => Math.floor(next() * limit),
    chance: (probability) => next() < probability,
    pick: (items) => items[random.below(items.length)] as (typeof items)[number],
    some: (items, most) => {
      const count = random.below(Math.min(most, items.length) + 1)
      const chosen = new Set<number>()
      while (chosen.size < count) chosen.add(random.below(items.length))
      return [...chosen].sort((one, other) => one - other).map((index) => items[index] as (typeof items)[number])
    },
  }
  return random
}
