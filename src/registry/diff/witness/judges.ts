import { compileSpec } from '../../compile.ts'
import type { Violation } from '../../compile.ts'
import type { EventSpec } from '../../event-spec.ts'
import type { Field } from '../place.ts'

/** One side's validator for one field of the event, compiled when it is first asked; `undefined` when it cannot judge. */
export type Judge = (value: unknown) => Violation[] | undefined

/** Where values of each field stand in a violation's path. */
export const PREFIX: Readonly<Record<Field, string>> = { properties: '/properties', context_properties: '/context/attributes' }

/**
 * Makes a judge of one field alone, so that a fault elsewhere in the event does not count. The call type does not matter to what
 * definitions say, and is left out.
 */
export function lazyJudge(spec: EventSpec, field: Field): Judge {
  let judge: ((value: unknown) => Violation[]) | undefined
  return (value) => {
    try {
      return (judge ??= compileJudge(spec, field))(value)
    } catch {
      return undefined // a spec stored before today's checks, or one that ajv trips over: what it means stays undecided
    }
  }
}

function compileJudge(spec: EventSpec, field: Field): (value: unknown) => Violation[] {
  const { properties, context_properties, ...rest } = spec
  if (field === 'properties') {
    const compiled = compileSpec({ ...rest, type: 'track', ...(properties === undefined ? {} : { properties }) })
    return (value) => compiled.validate(value)
  }
  const compiled = compileSpec({ ...rest, type: 'track', additional_properties: true, ...(context_properties === undefined ? {} : { context_properties }) })
  return (value) => compiled.validate({}, value)
}
