import { parameterName, userPropertyName } from './google-analytics-names.ts'
import { withoutNulls } from './without-nulls.ts'

type Scalar = string | number
type Parameters = Record<string, unknown>

/** Google Analytics takes as many parameters of an event, and as many properties of a user. */
const MAX_COUNT = 25
const MAX_CHARACTERS = 100
const MAX_CHARACTERS_OF = new Map([
  ['page_title', 300],
  ['page_referrer', 420],
  ['page_location', 1000],
])
const MAX_USER_PROPERTY_CHARACTERS = 36

/**
 * The parameters of an event: nested objects flattened with `_`, texts cut to what Google Analytics keeps, and what has no
 * place there left out, lists except `items` among it.
 * @param first what comes before the properties, of which those beyond the 25th are left out
 */
export function analyticsParameters(first: Record<string, unknown>, properties: Record<string, unknown> = {}): Parameters {
  const { items, ...others } = properties
  const parameters: Parameters = {}
  const products = Array.isArray(items) ? items.filter(isObject).map(withoutNulls) : []
  if (products.length > 0) parameters['items'] = products
  for (const [key, value] of [...scalars(first), ...scalars(others)]) {
    const name = parameterName(key)
    if (name !== undefined && hasRoom(parameters, name)) parameters[name] = cut(value, MAX_CHARACTERS_OF.get(name) ?? MAX_CHARACTERS)
  }
  return parameters
}

/** The properties of a user, in the shape of a request; those beyond the 25th are left out. */
export function analyticsUserProperties(traits: Record<string, unknown> = {}): Record<string, { value: Scalar }> {
  const properties: Record<string, { value: Scalar }> = {}
  for (const [key, value] of scalars(traits)) {
    const name = userPropertyName(key)
    if (name !== undefined && hasRoom(properties, name)) properties[name] = { value: cut(value, MAX_USER_PROPERTY_CHARACTERS) }
  }
  return properties
}

function scalars(record: Record<string, unknown>, prefix = ''): [string, Scalar][] {
  return Object.entries(record).flatMap(([key, value]): [string, Scalar][] => {
    if (isObject(value)) return scalars(value, `${prefix}${key}_`)
    // Google's own tags write true and false as texts as well.
    if (typeof value === 'boolean') return [[prefix + key, String(value)]]
    return typeof value === 'string' || typeof value === 'number' ? [[prefix + key, value]] : []
  })
}

function hasRoom(record: Record<string, unknown>, name: string): boolean {
  return Object.hasOwn(record, name) || Object.keys(record).length < MAX_COUNT
}

function cut(value: Scalar, characters: number): Scalar {
  if (typeof value === 'number' || value.length <= characters) return value
  // By code points, so that no character is cut in two.
  return Array.from(value).slice(0, characters).join('')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
