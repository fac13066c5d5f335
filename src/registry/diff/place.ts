import { pointerStep } from '../../plain-json.ts'

/**
 * One step from a definition to one inside it. `property`, `item`, `matching` and `other` lead to a part of the value;
 * a `branch` (a member of `anyOf`, a `then`) judges the same value.
 */
export type Step =
  | { to: 'property'; name: string }
  | { to: 'item'; index: number | undefined }
  | { to: 'matching'; pattern: string }
  | { to: 'other' }
  | { to: 'branch'; keyword: string; key?: string | number }

/** Which map of an event spec a place lies in. */
export type Field = 'properties' | 'context_properties'

/** JSON pointer into the spec; a `$ref` on the way counts as what it names. */
export function pointerOf(field: Field, steps: readonly Step[]): string {
  return steps.map((step, depth) => stepPointer(step, depth === 0 ? field : 'properties')).join('')
}

function stepPointer(step: Step, propertyKeyword: string): string {
  switch (step.to) {
    case 'property':
      return pointerStep(propertyKeyword) + pointerStep(step.name)
    case 'item':
      return step.index === undefined ? '/items' : `/prefixItems/${step.index}`
    case 'matching':
      return '/patternProperties' + pointerStep(step.pattern)
    case 'other':
      return '/additionalProperties'
    case 'branch':
      return pointerStep(step.keyword) + (step.key === undefined ? '' : pointerStep(step.key))
  }
}

/** Names a place as people write it: `property 'items[].sku'`, with the branches of combinators behind it; the root is `the event`. */
export function subjectOf(field: Field, steps: readonly Step[]): string {
  const name = steps.map(stepName).join('').replace(/^\./, '')
  const branches = steps.map(branchName).filter((branch) => branch !== '')
  const suffix = branches.length === 0 ? '' : ` (${branches.join(', ')})`
  if (name === '') return (field === 'properties' ? 'the event' : 'the context') + suffix
  return `${field === 'properties' ? 'property' : 'context property'} '${name}'${suffix}`
}

function stepName(step: Step): string {
  switch (step.to) {
    case 'property':
      return `.${step.name}`
    case 'item':
      return `[${step.index ?? ''}]`
    case 'matching':
      return `.{${step.pattern}}`
    case 'other':
      return '.*'
    case 'branch':
      return ''
  }
}

function branchName(step: Step): string {
  if (step.to !== 'branch') return ''
  return step.key === undefined ? step.keyword : `${step.keyword} ${step.key}`
}
