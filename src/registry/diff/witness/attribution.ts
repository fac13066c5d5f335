import type { Finding } from '../finding.ts'
import type { RuleId } from '../rules.ts'
import type { Fault } from './judges.ts'

// The keyword, as violations spell it, that must have refused the event for it to show just this change.
const REFUSED_BY: Partial<Record<RuleId, readonly string[]>> = {
  'str.min-length': ['min_length'],
  'str.max-length': ['max_length'],
  'str.pattern-added': ['pattern'],
  'str.pattern-changed': ['pattern'],
  'str.pattern-removed': ['pattern'],
  'str.format-added': ['format'],
  'str.format-changed': ['format'],
  'str.format-removed': ['format'],
  'num.minimum': ['minimum', 'exclusive_minimum'],
  'num.maximum': ['maximum', 'exclusive_maximum'],
  'num.exclusive-minimum': ['minimum', 'exclusive_minimum'],
  'num.exclusive-maximum': ['maximum', 'exclusive_maximum'],
  'num.multiple-of': ['multiple_of'],
  'enum.value-removed': ['enum', 'const'],
  'enum.value-added': ['enum', 'const'],
  'enum.added': ['enum', 'const'],
  'enum.removed': ['enum', 'const'],
  'const.added': ['enum', 'const'],
  'const.changed': ['enum', 'const'],
  'const.removed': ['enum', 'const'],
  'type.changed': ['type', 'enum', 'const', 'false_schema'],
  'type.narrowed': ['type', 'any_of', 'one_of', 'false_schema'],
  'type.widened': ['type', 'any_of', 'one_of', 'false_schema'],
  'type.nullable-added': ['type', 'any_of', 'one_of'],
  'type.nullable-removed': ['type', 'any_of', 'one_of'],
  'arr.min-items': ['min_items'],
  'arr.max-items': ['max_items'],
  'arr.unique-items': ['unique_items'],
  'arr.contains': ['contains'],
  'arr.min-contains': ['contains'],
  'arr.max-contains': ['contains'],
  'obj.min-properties': ['min_properties'],
  'obj.max-properties': ['max_properties'],
  'obj.property-names': ['property_names'],
  'obj.dependent-required': ['dependent_required'],
  'event.closed': ['additional_properties', 'unevaluated_properties'],
  'event.opened': ['additional_properties', 'unevaluated_properties'],
  'obj.closed': ['additional_properties', 'unevaluated_properties'],
  'obj.opened': ['additional_properties', 'unevaluated_properties'],
  'prop.became-required': ['required'],
  'prop.became-optional': ['required'],
  'comb.not': ['not'],
}

/** Whether one of the faults is about what the finding says, and not about another change beside it. */
export function isAttributed(faults: readonly Fault[], finding: Finding, pointer: string): boolean {
  // Of a rename the old name tells as well as the new one.
  if (finding.rule === 'prop.renamed-with-alias') return faults.some(({ path }) => isInside(path, pointer.slice(0, pointer.lastIndexOf('/'))))
  const isInBranch = finding.at.some((step) => step.to === 'branch')
  return faults.some(({ rule, path }) => {
    // A combinator reports what went wrong inside it at its own place.
    if (isInBranch) return isInside(path, pointer) || isInside(pointer, path)
    return isInside(path, pointer) && (REFUSED_BY[finding.rule]?.includes(rule) ?? true)
  })
}

function isInside(path: string, pointer: string): boolean {
  return path === pointer || path.startsWith(`${pointer}/`)
}
