import type { ErrorDetail } from '../error.ts'
import type { UnversionedSpec } from './event-spec.ts'
import { compileSpec } from './compile.ts'
import { payloadPart } from './payload-part.ts'
import { isSchemaObject } from './subschemas.ts'

/**
 * Runs the examples: those called valid must pass and those called invalid must not.
 *
 * An example is a payload, as in `{price: 3}`, which is not asked for a context; or a whole event, as in
 * `{properties: {price: 3}, context: {attributes: {...}}}`, when it has that key and the spec no property of that name.
 */
export function exampleFaults(spec: UnversionedSpec): ErrorDetail[] {
  const { valid = [], invalid = [] } = spec.examples ?? {}
  if (valid.length + invalid.length === 0) return []
  const violations = exampleJudge(spec)
  return [
    ...valid.flatMap((example, index) => {
      const found = violations(example)
      const reasons = found.slice(0, 3).map(({ message }) => message).join('; ')
      return found.length === 0 ? [] : [{ path: `/examples/valid/${index}`, message: `is called valid but the spec refuses it: ${reasons}` }]
    }),
    ...invalid.flatMap((example, index) =>
      violations(example).length > 0 ? [] : [{ path: `/examples/invalid/${index}`, message: 'is called invalid but the spec accepts it; change the example, or the definition that should refuse it' }],
    ),
  ]
}

function exampleJudge(spec: UnversionedSpec): (example: unknown) => { message: string }[] {
  const part = payloadPart(spec.type) ?? 'properties'
  const isEvent = (example: unknown): example is Record<string, unknown> => isSchemaObject(example) && part in example && !Object.hasOwn(spec.properties ?? {}, part)
  const event = compileSpec(spec)
  const { context_properties: _context, ...payloadOnly } = spec
  const payload = compileSpec(payloadOnly)
  return (example) => {
    if (!isEvent(example)) return payload.validate(example)
    const context = example['context']
    return event.validate(example[part], isSchemaObject(context) ? context['attributes'] : undefined)
  }
}
