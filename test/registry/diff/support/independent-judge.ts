import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { EventSpec } from '../../../../src/registry/event-spec.ts'

type Schema = Record<string, unknown>

/**
 * Judges witnesses with an ajv of its own and a reading of specs of its own, so that a fault in the service's validator cannot
 * prove what the diff says.
 */
export function independentJudge(spec: EventSpec): (witness: Record<string, unknown>) => boolean {
  // Without allErrors ajv 8.20 lets `[]` pass `prefixItems` beside `contains`.
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, multipleOfPrecision: 6, meta: false, validateSchema: false })
  addFormats.default(ajv)
  const payload = ajv.compile({ ...objectOf(spec.properties), additionalProperties: spec.additional_properties !== false, $defs: standard(spec['$defs'] ?? {}) })
  const context = ajv.compile({ ...objectOf(spec.context_properties), $defs: standard(spec['$defs'] ?? {}) })
  return (witness) => {
    const attributes = (witness['context'] as Schema | undefined)?.['attributes']
    if (attributes !== undefined) return context(attributes)
    return payload(witness['properties'] ?? witness['traits'])
  }
}

function objectOf(properties: Schema | undefined): Schema {
  return { type: 'object', ...liftRequired({ properties: properties ?? {} }) }
}

/** Copies anything, and lifts `required: true` out of whatever map is called `properties`; a property of that name is not expected here. */
function standard(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(standard)
  if (typeof value !== 'object' || value === null) return value
  return liftRequired(value as Schema)
}

function liftRequired(schema: Schema): Schema {
  const copy: Schema = {}
  for (const [keyword, value] of Object.entries(schema)) copy[keyword] = ['enum', 'const', 'default', 'examples'].includes(keyword) ? value : standard(value)
  if (typeof copy['required'] === 'boolean') delete copy['required']
  const properties = Object.entries((schema['properties'] as Record<string, Schema> | undefined) ?? {})
  const marked = properties.filter(([, definition]) => typeof definition === 'object' && definition['required'] === true).map(([name]) => name)
  if (marked.length > 0) copy['required'] = [...new Set([...((copy['required'] as string[] | undefined) ?? []), ...marked])]
  return copy
}
