import type { Change, EventSpec } from '../event-spec.ts'
import { pointerStep } from '../../plain-json.ts'
import { annotationsOf } from './annotation-keywords.ts'
import { canonicalText } from './canonical-text.ts'
import { jsonEqual } from './json-equal.ts'
import { normaliser } from './normal-form.ts'
import type { Field } from './place.ts'
import type { RuleId } from './rules.ts'
import { schemaDocument } from './schema-document.ts'
import type { SchemaDocument } from './schema-document.ts'
import { skeletonOf } from './skeleton.ts'

/**
 * What changed between two specs whose definitions mean the same, though they are not one written in two ways: definitions that
 * nothing refers to, and descriptions inside definitions that refuse nothing.
 */
export function compareUnnoticed(from: EventSpec, to: EventSpec): Change[] {
  const fields: readonly Field[] = ['properties', 'context_properties']
  const documents = fields.map((field) => ({ from: schemaDocument(from, field), to: schemaDocument(to, field) }))
  if (documents.every((pair) => jsonEqual(pair.from.root, pair.to.root))) return []
  const unused = changedDefinitions(documents[0] as Documents)
  if (unused.length > 0) return unused.map((name) => change('ann.no-effect', '$defs', `/$defs${pointerStep(name)}`, `definition '${name}' changed, without effect on any value`))
  if (documents.every((pair) => sayTheSame(pair.from, pair.to))) return []
  return [change('ann.other', 'properties', '/properties', 'descriptions of definitions changed')]
}

interface Documents {
  from: SchemaDocument
  to: SchemaDocument
}

function changedDefinitions({ from, to }: Documents): string[] {
  const sides = { from: normaliser(from), to: normaliser(to) }
  const before = from.root['$defs'] as Record<string, unknown>
  const after = to.root['$defs'] as Record<string, unknown>
  const shared = Object.keys(before).filter((name) => Object.hasOwn(after, name))
  return shared.filter((name) => skeletonOf(before[name], sides.from, []) !== skeletonOf(after[name], sides.to, []))
}

/** As sets, since a definition that is written out where it was referred to says nothing new. */
function sayTheSame(from: SchemaDocument, to: SchemaDocument): boolean {
  const before = sayings(from)
  const after = sayings(to)
  return before.size === after.size && [...before].every((saying) => after.has(saying))
}

function sayings({ definitions }: SchemaDocument): Set<string> {
  return new Set(definitions.flatMap((definition) => Object.entries(annotationsOf(definition)).map(canonicalText)))
}

function change(rule: RuleId, field: string, path: string, description: string): Change {
  return { kind: 'PATCH', field, description, rule, path, breaks: [], certainty: 'proven', from: null, to: null, witness: null }
}
