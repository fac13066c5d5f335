import { _, Name } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import type { KeywordCxt } from 'ajv'

/**
 * Repairs ajv 8.20's `patternProperties`. What it marks as evaluated goes into what the keywords before it have marked, which at
 * run time is `undefined` where a branch of `if` or `oneOf` marked nothing and `true` where one marked everything: the event
 * throws a TypeError. Here it marks in an object of its own, which is merged afterwards.
 */
export function repairPatternProperties(ajv: Ajv2020): void {
  const rule = ajv.RULES.all['patternProperties']
  if (typeof rule !== 'object' || !('code' in rule.definition)) throw new Error('ajv has no keyword patternProperties that writes code')
  const { definition } = rule
  const write = definition.code
  rule.definition = { ...definition, code: (context: KeywordCxt, dataType?: string) => {
    const { gen, it } = context
    const marked = it.props
    if (!(marked instanceof Name)) return write(context, dataType)
    delete it.props
    write(context, dataType)
    const own: unknown = it.props
    it.props = marked
    if (own instanceof Name) gen.if(_`${marked} !== true`, () => gen.assign(marked, _`Object.assign(${marked} || {}, ${own})`))
  } }
}
