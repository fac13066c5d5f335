import { compileSpec } from '../../../../src/registry/compile.ts'
import type { CompiledSpec } from '../../../../src/registry/compile.ts'
import { diffSpecs } from '../../../../src/registry/diff/diff.ts'
import type { Change, EventSpec } from '../../../../src/registry/event-spec.ts'
import { toJsonSchema, contextJsonSchema } from '../../../../src/registry/json-schema.ts'
import { explainCostlySchema } from '../../../../src/registry/schema-cost.ts'
import type { Random } from './random.ts'
import { randomAttributes, randomPayload } from './random-events.ts'
import { mutated } from './random-mutation.ts'
import { randomSpec } from './random-specs.ts'

/** An event that two versions judge differently though no change says that anyone breaks. */
export interface Contradiction {
  missing: 'producers' | 'consumers'
  from: EventSpec
  to: EventSpec
  event: { properties: unknown; attributes: unknown }
  changes: Change[]
}

/** What one random pair came to. */
export interface Trial {
  contradiction?: Contradiction
  /** Events that one side accepted and the other refused. */
  told: number
  events: number
}

/** Two versions: every other pair by small edits of one spec, the rest independent of each other. */
export function randomPair(random: Random): { from: EventSpec; to: EventSpec } {
  const from = randomSpec(random)
  const to = random.chance(0.75) ? mutated(random, from) : randomSpec(random)
  return random.chance(0.5) ? { from, to } : { from: to, to: from }
}

/** Runs random events through both versions and looks for one that the diff did not foresee. */
export function tryPair(random: Random, { from, to }: { from: EventSpec; to: EventSpec }, events: number): Trial {
  const changes = diffSpecs(from, to, { witness: false })
  const breaks = { producers: changes.some((change) => change.breaks.includes('producers')), consumers: changes.some((change) => change.breaks.includes('consumers')) }
  const trial: Trial = { told: 0, events }
  if (breaks.producers && breaks.consumers) return trial // nothing could contradict it
  if (isRefused(from) || isRefused(to)) return trial
  const judges = { from: compileSpec(from), to: compileSpec(to) }
  for (let index = 0; index < events; index++) {
    const spec = random.chance(0.5) ? from : to
    const event = { properties: randomPayload(random, spec), attributes: randomAttributes(random, spec) }
    const accepts = { from: accepted(judges.from, event), to: accepted(judges.to, event) }
    if (accepts.from === accepts.to) continue
    trial.told += 1
    const missing = accepts.from ? 'producers' : 'consumers'
    if (!breaks[missing]) return { ...trial, contradiction: { missing, from, to, event, changes } }
  }
  return trial
}

function accepted(judge: CompiledSpec, event: Contradiction['event']): boolean {
  return judge.validate(event.properties, event.attributes).length === 0
}

/** Publishing refuses definitions that refer to themselves without going deeper; a validator would not come to an end. */
function isRefused(spec: EventSpec): boolean {
  return [toJsonSchema(spec), contextJsonSchema(spec)].some((schema) => schema !== undefined && explainCostlySchema(schema) !== undefined)
}
