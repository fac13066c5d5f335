import type { ErrorDetail } from '../error.ts'
import { invalid } from '../error.ts'
import { assertPlainJson } from '../plain-json.ts'
import { definitionFaults } from './check-definitions.ts'
import { exampleFaults } from './check-examples.ts'
import { fieldFaults } from './check-fields.ts'
import type { UnversionedSpec } from './event-spec.ts'

// What answers hold beside the spec itself; dropped, so that an answer can be published again.
const READ_ONLY = ['published_at', 'published_by', 'updated_at', 'changes', 'previous_version', 'warnings']
// An empty line of YAML is null; of these keys it means that nothing was said.
const OPTIONAL = ['version', 'status', 'type', 'event_name', 'display_name', 'description', 'owner', 'tags', 'changelog', '$schema', '$defs', 'properties', 'additional_properties', 'context_properties', 'sampling', 'hooks', 'examples']
const MAX_FAULTS = 50

/**
 * Turns a document that was sent into an event spec: `status`, `type` and `event_name` filled in, read-only keys and
 * optional ones set to null dropped, keys that the service does not know kept as they are.
 * @throws SignalbookError `invalid_request` with a detail for each fault, at most 50, its path a JSON pointer into the document
 */
export function checkSpec(document: Record<string, unknown>): UnversionedSpec {
  assertPlainJson(document)
  const sent = Object.fromEntries(Object.entries(document).filter(([key, value]) => !READ_ONLY.includes(key) && !(value === null && OPTIONAL.includes(key))))
  const spec = { ...sent, status: sent['status'] ?? 'active', type: sent['type'] ?? 'track', event_name: sent['event_name'] ?? sent['name'] }
  // Each check relies on those before it: definitions on the fields' shapes, examples on definitions that compile.
  refuse(fieldFaults(spec))
  const checked = spec as UnversionedSpec
  refuse(definitionFaults(checked))
  refuse(exampleFaults(checked))
  return checked
}

function refuse(faults: ErrorDetail[]): void {
  const [first] = faults
  if (!first) return
  const count = faults.length === 1 ? 'a fault' : `${faults.length} faults, the first`
  throw invalid(`the event spec has ${count}: ${first.path} ${first.message}`, faults.slice(0, MAX_FAULTS))
}
