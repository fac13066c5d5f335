import type { ErrorObject } from 'ajv'

// An event can cause an error for each of its bytes, and errors are compared with each other here.
const MAX_COMPARED = 200

/**
 * Leaves out the errors of ajv that only repeat others: `if` and the inside of `propertyNames`, whose cause is reported as well;
 * each item that is not what `contains` looks for; and each alternative's type where `anyOf` or `oneOf` lists them all.
 */
export function tellingErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  const compared = errors.slice(0, MAX_COMPARED)
  const summaries = compared.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'contains')
  return compared.filter((error) => !isEcho(error) && !summaries.some((summary) => covers(summary, error)))
}

function isEcho(error: ErrorObject): boolean {
  return error.keyword === 'if' || (error.propertyName !== undefined && error.keyword !== 'propertyNames')
}

function covers(summary: ErrorObject, error: ErrorObject): boolean {
  if (!error.schemaPath.startsWith(`${summary.schemaPath}/`)) return false
  return summary.keyword === 'contains' || (error.keyword === 'type' && error.instancePath === summary.instancePath)
}
