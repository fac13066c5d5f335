import { createSender } from '../../../src/outgoing/send.ts'
import type { OutgoingResponse } from '../../../src/outgoing/send.ts'

/** What the parent is told: how the memory of this process grew, and what came of each request. */
export interface SenderMemory {
  grownBytes: number
  answers: { kind: OutgoingResponse['kind']; bytes: number }[]
}

// A process of its own, so that nothing but the sender is weighed: ten requests at a time, first until the heap has its
// size (what requests load, compile and leave to the collector is no cost of an answer), then fifty that are weighed.
const AT_ONCE = 10
const WARM_UP_ROUNDS = 20
const WEIGHED_ROUNDS = 5

const [url, timeoutMs] = process.argv.slice(2) as [string, string]
const sender = createSender({ allowPrivateNetworks: true })
const round = () => Promise.all(Array.from({ length: AT_ONCE }, () => sender.send({ method: 'POST', url, headers: {}, body: '{}', timeoutMs: Number(timeoutMs) })))

for (let count = 0; count < WARM_UP_ROUNDS; count++) await round()
const before = process.memoryUsage.rss()
let highest = before
const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage.rss())), 5)
const answers: SenderMemory['answers'] = []
for (let count = 0; count < WEIGHED_ROUNDS; count++) {
  for (const answer of await round()) answers.push({ kind: answer.kind, bytes: answer.kind === 'answer' ? Buffer.byteLength(answer.body) : 0 })
}
clearInterval(watch)
sender.close()
process.send?.({ grownBytes: highest - before, answers } satisfies SenderMemory)
process.disconnect()
