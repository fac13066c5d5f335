import { Ajv2020 } from 'ajv/dist/2020.js'
import { boundedPattern } from './bounded-pattern.ts'
import { formats } from './formats.ts'
import { repairKeywords } from './ajv-repairs.ts'
import { uniqueItems } from './unique-items.ts'

/**
 * A validator of JSON Schema 2020-12 as this registry reads it. It keeps every schema that it ever compiled.
 * @param purpose `telling`: it runs often, and its errors hold the schema and the value, for a message; `proving`: it runs a few
 *   times, and its errors say only what refused and where, so that compiling takes a third less
 */
export function newAjv(purpose: 'telling' | 'proving'): Ajv2020 {
  const isTelling = purpose === 'telling'
  const ajv = new Ajv2020({
    strict: false, // unknown keywords are annotations
    allErrors: true,
    verbose: isTelling,
    messages: isTelling,
    loopRequired: isTelling ? 200 : 1, // code for each required property runs faster, a loop over them compiles faster
    logger: false,
    formats: { ...formats },
    // ajv 8.20's optimizer drops the declaration of names that it uses further on (`not: {}` beside `if` does it): every event would throw.
    code: { regExp: boundedPattern, optimize: false },
    multipleOfPrecision: 6, // 19.99 is a multiple of 0.01, though not in binary floating point
    inlineRefs: 20, // a large definition that is named a thousand times must not become a thousand copies of code
    // checkSpec validated the definitions; to compile the meta-schema again costs 20 ms for each version.
    meta: false,
    validateSchema: false,
  })
  ajv.removeKeyword('id') // draft 4's word, which ajv refuses, and which is an annotation like any unknown one
  ajv.removeKeyword('uniqueItems')
  repairKeywords(ajv)
  return ajv.addKeyword(uniqueItems)
}
