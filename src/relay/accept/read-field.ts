import { invalid } from '../../error.ts'
import type { SignalbookError } from '../../error.ts'

/** Names a field for people: `timestamp` in a single call, `events[3].timestamp` in a batch. Only called for a fault, since building a name costs more than reading a field. */
export type FieldName = (field: string) => string

/** A 400 about one field. */
export function faulty(name: string, demand: string): SignalbookError {
  const message = `${name} ${demand}`
  return invalid(message, [{ path: name, message: demand }])
}

/** A text, or `undefined` when it is absent, `null` or empty. @throws SignalbookError `invalid_request` */
export function readText(value: unknown, named: FieldName, field: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw faulty(named(field), 'must be a string')
  return value
}

/** A text that must be there. @throws SignalbookError `invalid_request` */
export function requireText(value: unknown, named: FieldName, field: string): string {
  const text = readText(value, named, field)
  if (text === undefined) throw faulty(named(field), 'is required and must be a string that is not empty')
  return text
}

/** An object, or `undefined` when it is absent or `null`. @throws SignalbookError `invalid_request` */
export function readObject(value: unknown, named: FieldName, field: string): Record<string, unknown> | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw faulty(named(field), 'must be an object')
  return value as Record<string, unknown>
}
