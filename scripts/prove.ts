import { randomPair, tryPair } from '../test/registry/diff/support/contradictions.ts'
import { seededRandom } from '../test/registry/diff/support/random.ts'
import { shrink } from '../test/registry/diff/support/shrink.ts'

// node scripts/prove.ts [pairs] [first seed]: tries to contradict the diff with random pairs of specs and random events.
// It says how long that took and what it found, contradictions as small as they get.
const EVENTS_PER_PAIR = 60
const SHOWN = 5

const pairs = Number(process.argv[2] ?? 100_000)
const firstSeed = Number(process.argv[3] ?? 1)
const startedAt = performance.now()
let contradictions = 0
let open = 0
let told = 0

for (let seed = firstSeed; seed < firstSeed + pairs; seed++) {
  const random = seededRandom(seed)
  const pair = randomPair(random)
  const trial = tryPair(random, pair, EVENTS_PER_PAIR)
  told += trial.told
  if (trial.told > 0) open += 1
  if (trial.contradiction === undefined) continue
  contradictions += 1
  if (contradictions <= SHOWN) console.log(`seed ${seed}\n${JSON.stringify(shrink(trial.contradiction), null, 1)}`)
}

const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
console.log(`${pairs} pairs from seed ${firstSeed} in ${seconds} s: ${contradictions} contradictions; ${open} pairs with ${told} events that only one side accepts`)
process.exitCode = contradictions > 0 ? 1 : 0
