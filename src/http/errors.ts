import { SignalbookError, invalid } from '../error.ts'
import type { ErrorCode } from '../error.ts'
import { detailOf, named, sentenceOf } from './contract-words.ts'
import type { ContractFault } from './contract-words.ts'

const STATUS: Record<ErrorCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  unavailable: 503,
  internal: 500,
}

/** An error answer, ready to be sent. */
export interface ErrorAnswer {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown> & { error: string; code: string }
}

/** What the express-openapi-validator throws. */
interface ContractError {
  status: number
  headers?: Record<string, string>
  errors: { path: string; message: string; errorCode?: string }[]
}

/** What express throws. */
interface FrameworkError {
  status: number
  message: string
}

/**
 * Turns whatever was thrown into the one error shape. What is not meant for callers becomes a 500 without its text.
 * @param isUnavailable asks the database dialect whether the fault is one that passes
 */
export function toErrorAnswer(error: unknown, requestId: string, isUnavailable: (error: unknown) => boolean): ErrorAnswer {
  const known = toSignalbookError(error, isUnavailable)
  const headers: Record<string, string> = {}
  if (known.code === 'unauthorized') headers['WWW-Authenticate'] = 'Bearer'
  if (known.retryAfterSeconds !== undefined) headers['Retry-After'] = String(known.retryAfterSeconds)
  return {
    status: STATUS[known.code],
    headers,
    body: {
      error: known.message,
      code: known.code,
      ...(known.details ? { details: known.details } : {}),
      ...known.extra,
      request_id: requestId,
    },
  }
}

/** True for an error that a person must look at: one that no caller caused and that will not pass by itself. */
export function isFault(error: unknown, isUnavailable: (error: unknown) => boolean): boolean {
  return toSignalbookError(error, isUnavailable).code === 'internal'
}

function toSignalbookError(error: unknown, isUnavailable: (error: unknown) => boolean): SignalbookError {
  if (error instanceof SignalbookError) return error
  if (isContractError(error)) return fromContract(error)
  if (isFrameworkError(error)) return fromFramework(error)
  if (isUnavailable(error)) {
    return new SignalbookError('unavailable', 'the database cannot be reached or written right now; try again', { retryAfterSeconds: 1, cause: error })
  }
  return new SignalbookError('internal', 'an unexpected fault on our side; the log holds its cause under this request_id', { cause: error })
}

function isContractError(error: unknown): error is ContractError {
  return typeof error === 'object' && error !== null && Array.isArray((error as ContractError).errors) && typeof (error as ContractError).status === 'number'
}

function isFrameworkError(error: unknown): error is FrameworkError {
  const status = error instanceof Error ? (error as unknown as FrameworkError).status : undefined
  return typeof status === 'number' && status >= 400 && status < 500
}

function fromContract(error: ContractError): SignalbookError {
  if (error.status === 404) return new SignalbookError('not_found', 'there is no such path; GET /v1/openapi.json lists them all')
  const faults = error.errors.map(toFault)
  const [first] = faults
  const summary = first ? sentenceOf(first) : 'the request does not match the contract'
  if (error.status === 415) return new SignalbookError('unsupported_media_type', summary)
  return new SignalbookError('invalid_request', summary, { details: faults.map(detailOf) })
}

/** Reads where the express-openapi-validator found a fault: `/query/limit`, `/params/id`, `/body/name`, and for some bodies `/config/url`. */
function toFault({ path, message }: ContractError['errors'][number]): ContractFault {
  const [, place, ...rest] = path.split('/')
  const pointer = `/${rest.join('/')}`
  if (place === 'query') return { name: `the query parameter ${rest.join('/')}`, path: pointer, message }
  if (place === 'params') return { name: `${rest.join('/')} in the path`, path: pointer, message }
  if (place === 'headers') return { name: `the header ${rest.join('/')}`, path: pointer, message }
  return { ...named(place === 'body' ? (rest.length > 0 ? pointer : '') : path), message }
}

function fromFramework(error: FrameworkError): SignalbookError {
  if (error instanceof URIError) return invalid('the path is not valid percent-encoded UTF-8')
  return invalid('the request could not be read')
}
