/** Stable words of the `code` field of an error answer; `http/errors.ts` gives each its status. */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'conflict'
  | 'too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'unavailable'
  | 'internal'

/** One fault inside an input: `path` is a JSON pointer or the name of a parameter. */
export interface ErrorDetail {
  path: string
  message: string
}

export interface ErrorOptions {
  details?: ErrorDetail[]
  /** Further keys of the error answer, in wire spelling, such as `suggested_version`. */
  extra?: Record<string, unknown>
  retryAfterSeconds?: number
  cause?: unknown
}

/**
 * The one error that a caller of the API is meant to see.
 * `message` is a sentence that says what was wrong and what would be right; it never holds a secret, SQL or a stack.
 */
export class SignalbookError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetail[] | undefined
  readonly extra: Record<string, unknown>
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'SignalbookError'
    this.code = code
    this.details = options.details
    this.extra = options.extra ?? {}
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** A 400 in one call. */
export function invalid(message: string, details?: ErrorDetail[]): SignalbookError {
  return new SignalbookError('invalid_request', message, details ? { details } : {})
}

/** A 404 in one call. */
export function notFound(message: string): SignalbookError {
  return new SignalbookError('not_found', message)
}

/** A 409 in one call. */
export function conflict(message: string, extra?: Record<string, unknown>): SignalbookError {
  return new SignalbookError('conflict', message, extra ? { extra } : {})
}
