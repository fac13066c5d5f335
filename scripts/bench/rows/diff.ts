import { diffSpecs } from '../../../src/registry/diff/diff.ts'
import { checkSpec } from '../../../src/registry/check-spec.ts'
import type { EventSpec } from '../../../src/registry/event-spec.ts'
import { median } from '../measure.ts'
import type { Pace } from '../measure.ts'
import { boundLine, explained } from './row.ts'
import type { Line, Row } from './row.ts'

const LEVELS = 8
const PROPERTIES = 300
const BOUND_MS = 20
const WARM_UPS = 20

/** Two versions with 300 properties on eight levels, a tenth of which changed. */
export const diffTime: Row = {
  name: 'diff',
  async run(pace): Promise<Line[]> {
    const [older, newer] = [0, 1].map((changed) => checkSpec(specWith(changed)) as EventSpec) as [EventSpec, EventSpec]
    const what = `diff of ${PROPERTIES} properties on ${LEVELS} levels, a tenth changed`
    const compared = medianTime(pace, () => diffSpecs(older, newer))
    // Proofs are worked out when they are read.
    const proved = medianTime(pace, () => JSON.stringify(diffSpecs(older, newer)))
    const because = async () => [`comparing takes ${compared.toFixed(1)} ms; the rest writes the events, and compiles the validators that judge them`]
    return [boundLine(what, compared, BOUND_MS, 'ms'), await explained(boundLine(`${what}, each proved by an event`, proved, BOUND_MS, 'ms'), because)]
  },
}

/** In ms, once the code is warm. */
function medianTime(pace: Pace, work: () => unknown): number {
  const times: number[] = []
  for (let round = 0; round < WARM_UPS + pace.rounds * 5; round++) {
    const startedAt = performance.now()
    work()
    if (round >= WARM_UPS) times.push(performance.now() - startedAt)
  }
  return median(times)
}

function specWith(changed: number): Record<string, unknown> {
  return { namespace: 'bench', name: 'deep', version: `1-0-${changed}`, event_name: 'Deep', properties: level(0, changed) }
}

function level(depth: number, changed: number): Record<string, unknown> {
  const first = Math.ceil((PROPERTIES * depth) / LEVELS)
  const next = Math.ceil((PROPERTIES * (depth + 1)) / LEVELS)
  const properties = Object.fromEntries(Array.from({ length: next - first }, (_, index) => [`property_${first + index}`, definition(first + index, changed)]))
  return depth === LEVELS - 1 ? properties : { ...properties, inside: { type: 'object', properties: level(depth + 1, changed) } }
}

function definition(n: number, changed: number): Record<string, unknown> {
  if (n % 10 === 0) return { type: 'string', maxLength: 100 + changed }
  return n % 3 === 0 ? { type: 'number', minimum: 0, required: true } : { type: 'string', enum: ['a', 'b', 'c'] }
}
