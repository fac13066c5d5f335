import type { SchemaDocument } from './schema-document.ts'

// What they mean depends on the whole document or on the value; publishing refuses them today.
const NOT_FOLLOWED: readonly string[] = ['$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef']

/** Whether a document has references that the diff does not follow; then two documents that differ in any way may differ in more. */
export function hasBlindSpots({ definitions, resolve }: SchemaDocument): boolean {
  return definitions.some((definition) => {
    if (NOT_FOLLOWED.some((keyword) => keyword in definition)) return true
    return '$ref' in definition && resolve(definition['$ref']) === undefined
  })
}
