import { diffSpecs } from '../../../src/registry/diff/diff.ts'
import { checkSpec } from '../../../src/registry/check-spec.ts'
import type { EventSpec } from '../../../src/registry/event-spec.ts'
import { median } from '../measure.ts'
import { boundLine } from './row.ts'
import type { Line, Row } from './row.ts'

const PROPERTIES = 300
const BOUND_MS = 20
const WARM_UPS = 20

/** Two versions with 300 properties each, a tenth of which changed. */
export const diffTime: Row = {
  name: 'diff',
  async run(pace): Promise<Line[]> {
    const [older, newer] = [0, 1].map((changed) => checkSpec(specWith(changed)) as EventSpec) as [EventSpec, EventSpec]
    const times: number[] = []
    for (let round = 0; round < WARM_UPS + pace.rounds * 5; round++) {
      const startedAt = performance.now()
      diffSpecs(older, newer)
      if (round >= WARM_UPS) times.push(performance.now() - startedAt)
    }
    return [boundLine(`diff of two specs with ${PROPERTIES} properties`, median(times), BOUND_MS, 'ms')]
  },
}

function specWith(changed: number): Record<string, unknown> {
  const properties = Object.fromEntries(
    Array.from({ length: PROPERTIES }, (_, n) => [
      `property_${n}`,
      n % 10 === 0 ? { type: 'string', maxLength: 100 + changed } : n % 3 === 0 ? { type: 'number', minimum: 0, required: true } : { type: 'string', enum: ['a', 'b', 'c'] },
    ]),
  )
  return { namespace: 'bench', name: 'wide', version: `1-0-${changed}`, event_name: 'Wide', properties }
}
