import { _, Name } from 'ajv'
import type { CodeKeywordDefinition } from 'ajv'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import names from 'ajv/dist/compile/names.js'

type WriteCode = CodeKeywordDefinition['code']

/** Repairs keywords whose code judges wrongly or throws in ajv 8.20. */
export function repairKeywords(ajv: Ajv2020): void {
  repair(ajv, 'patternProperties', markApart)
  repair(ajv, 'prefixItems', goOnAfterMissing)
}

function repair(ajv: Ajv2020, keyword: string, wrap: (write: WriteCode) => WriteCode): void {
  const rule = ajv.RULES.all[keyword]
  if (typeof rule !== 'object' || !('code' in rule.definition)) throw new Error(`ajv has no keyword ${keyword} that writes code`)
  rule.definition = { ...rule.definition, code: wrap(rule.definition.code) }
}

/**
 * What `patternProperties` marks as evaluated goes into what the keywords before it have marked, which at run time is `undefined`
 * where a branch of `if` or `oneOf` marked nothing and `true` where one marked everything: the event throws a TypeError. Here it marks
 * in an object of its own, which is merged afterwards.
 */
function markApart(write: WriteCode): WriteCode {
  return (context, dataType) => {
    const { gen, it } = context
    const marked = it.props
    if (!(marked instanceof Name)) return write(context, dataType)
    delete it.props
    write(context, dataType)
    const own: unknown = it.props
    it.props = marked
    if (own instanceof Name) gen.if(_`${marked} !== true`, () => gen.assign(marked, _`Object.assign(${marked} || {}, ${own})`))
  }
}

/**
 * Where the first fault ends the judging (inside `not`, `if` and `contains`), `prefixItems` goes on to the next keyword only if its
 * first position was judged: an array without one met all the other keywords. Here it goes on if no position had a fault.
 */
function goOnAfterMissing(write: WriteCode): WriteCode {
  return (context, dataType) => {
    const { gen, allErrors } = context
    if (allErrors) return write(context, dataType)
    const before = gen.const('_errs', names.default.errors)
    Object.assign(context, { allErrors: true })
    write(context, dataType)
    Object.assign(context, { allErrors })
    context.ok(_`${before} === ${names.default.errors}`)
  }
}
