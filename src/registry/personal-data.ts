import { resolveRef } from './local-ref.ts'
import { isSchemaObject, subschemas } from './subschemas.ts'
import type { JsonSchema, Subschema } from './subschemas.ts'

/**
 * Answers whether the value at `steps` may hold personal data: whether a definition that could judge it, something around it
 * or something inside it has a `pii` class other than `none`. Errs on the side of yes, as it decides what is shown to people.
 * @param root the definitions as published, with their `pii`; local `$ref`s are resolved against it
 * @param steps the keys from the root's value to the one in question
 */
export function mayBePersonal(root: JsonSchema, steps: readonly string[]): boolean {
  let judging = inPlace(root, [root])
  for (const step of steps) {
    if (judging.some(isPersonal)) return true
    judging = inPlace(root, judging.flatMap((schema) => subschemas(schema).filter((inner) => reaches(inner, step)).map((inner) => inner.schema)))
  }
  return closure(root, judging, () => true).some(isPersonal)
}

function isPersonal(schema: JsonSchema): boolean {
  return schema['pii'] !== undefined && schema['pii'] !== 'none'
}

/** A name is only looked for under `properties`; every other keyword that judges a part may judge any part. */
function reaches(inner: Subschema, step: string): boolean {
  return inner.judges === 'part' && (inner.keyword !== 'properties' || inner.key === step)
}

function inPlace(root: JsonSchema, schemas: unknown[]): JsonSchema[] {
  return closure(root, schemas, (inner) => inner.judges === 'same')
}

/** All schemas that can be reached from some through `$ref` and the subschemas that `follow` picks. */
function closure(root: JsonSchema, schemas: unknown[], follow: (inner: Subschema) => boolean): JsonSchema[] {
  const seen = new Set<JsonSchema>()
  const pending = [...schemas]
  while (pending.length > 0) {
    const next = pending.pop()
    if (!isSchemaObject(next) || seen.has(next)) continue
    seen.add(next)
    pending.push(...subschemas(next).filter(follow).map((inner) => inner.schema), resolveRef(root, next['$ref']))
  }
  return [...seen]
}
