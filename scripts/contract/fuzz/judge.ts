import type { Published } from './published.ts'
import type { FuzzRequest } from './request.ts'
import type { FuzzAnswer } from './send.ts'

// What the inside of the service looks like: stacks, files, statements, drivers' codes.
const LEAKS = /node_modules|\n\s+at |\bat \w+[.\w]* \(|\.[jt]s:\d+|file:\/\/\/(?!etc)|\/(home|root|tmp|usr|var)\/\w|SQLITE_|\bER_[A-Z_]{3,}|\b(select|insert into|update|delete from) `|\bknex\b|ECONNREFUSED/

/** What an operation may answer although its own list does not say so: the framework around it does. */
const OUTSIDE_OPERATIONS = new Set([404, 405, 431])

/** Holds an answer against the contract. @returns in what they differ */
export function judge(published: Published, request: FuzzRequest, answer: FuzzAnswer): string[] {
  const { status, headers, text } = answer
  if (status === 0) return [`no answer: ${text}`]
  const faults: string[] = []
  if (status >= 500) faults.push(`answered ${status}`)
  if (request.allowed && !request.allowed.includes(status)) faults.push(`answered ${status}, not one of ${request.allowed.join(', ')}`)
  const leak = LEAKS.exec(text)
  if (leak) faults.push(`shows its inside: ${leak[0]}`)
  if (headers['x-request-id'] === undefined) faults.push('lacks X-Request-Id')
  if (headers['x-content-type-options'] !== 'nosniff') faults.push('lacks X-Content-Type-Options')
  if (status === 401 && headers['www-authenticate'] !== 'Bearer') faults.push('lacks WWW-Authenticate')
  if (status === 405 && headers.allow === undefined) faults.push('lacks Allow')
  if ((status === 429 || status === 503) && headers['retry-after'] === undefined) faults.push('lacks Retry-After')
  if (status >= 400) faults.push(...errorFaults(text))
  if (!isOfOperation(request)) return faults

  const described = request.operation.responses[String(status)]
  if (!described) return OUTSIDE_OPERATIONS.has(status) && request.allowed?.includes(status) ? faults : [...faults, `answered ${status}, which the contract does not list`]
  faults.push(...headerFaults(published, described.headers ?? {}, answer))
  if (!described.content) return text === '' ? faults : [...faults, 'has a body where the contract has none']
  const type = (headers['content-type'] ?? '').split(';')[0] as string
  const media = described.content[type]
  if (!media) return [...faults, `has the type "${type}", not one of ${Object.keys(described.content).join(', ')}`]
  const isValid = published.validatorOf(media.schema)
  const body: unknown = type.endsWith('json') ? parsed(text) : text
  if (!isValid(body)) faults.push(`is not of the contract's shape: ${(isValid.errors ?? []).map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`).join('; ')}`)
  return faults
}

/** A path with a tail, or another method, may be another operation's. */
function isOfOperation({ operation, method, path }: FuzzRequest): boolean {
  const pattern = new RegExp(`^${operation.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/?]+')}(\\?|$)`)
  return method === operation.method.toUpperCase() && pattern.test(path)
}

function errorFaults(text: string): string[] {
  const body = parsed(text)
  // Health says by its own shape that it is not well.
  if (typeof body === 'object' && body !== null && 'status' in body) return []
  const sentence = (body as { error?: unknown } | undefined)?.error
  return typeof sentence === 'string' && sentence.split(' ').length > 2 ? [] : ['does not say in a sentence what was wrong']
}

function headerFaults(published: Published, described: NonNullable<FuzzRequest['operation']['responses'][string]['headers']>, { headers, status }: FuzzAnswer): string[] {
  return Object.entries(described).flatMap(([name, { required, schema }]) => {
    const value = headers[name.toLowerCase()]
    if (value === undefined) return required === true || (name === 'Location' && status === 201) ? [`lacks ${name}`] : []
    const { type } = published.resolve(schema)
    return published.validatorOf(schema)(type === 'integer' || type === 'number' ? Number(value) : value) ? [] : [`has ${name}: ${String(value)}, which is not of its shape`]
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
