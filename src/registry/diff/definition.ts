import type { TypeSet } from './type-set.ts'

/**
 * A definition in the one form in which definitions are compared: references resolved, `allOf` merged as far as that keeps
 * its meaning, `const` written as `enum`, boolean `required` moved to the parent, keywords that refuse nothing left out.
 * Definitions inside it are still as published.
 */
export interface Definition {
  /** The definition as published. */
  source: unknown
  /** Types that `type` allows. */
  declared: TypeSet
  /** Types that a value can have: those of `values` among the declared. */
  possible: TypeSet
  /** The only values allowed. */
  values: readonly unknown[] | undefined
  properties: Readonly<Record<string, unknown>>
  required: ReadonlySet<string>
  /** The other keywords that refuse some value. */
  keywords: Readonly<Record<string, unknown>>
  /** Members of `allOf`, and references beside other keywords, that cannot be merged without changing the meaning. */
  conjuncts: readonly unknown[]
  /** Keywords that bear on none of the possible types. */
  powerless: Readonly<Record<string, unknown>>
  annotations: Readonly<Record<string, unknown>>
}
