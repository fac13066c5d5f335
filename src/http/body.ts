import { isAscii, isUtf8 } from 'node:buffer'
import type { Request, RequestHandler } from 'express'
import { SignalbookError, invalid } from '../error.ts'
import { assertFewContainers, assertPlainJson } from '../plain-json.ts'
import { readSpecDocument } from '../registry/spec-document.ts'
import { contextOf } from './context.ts'
import { readBytes } from './read-bytes.ts'

const MEBIBYTE = 1024 * 1024
const BODY_LIMIT_BYTES = MEBIBYTE
const BATCH_LIMIT_BYTES = 4 * MEBIBYTE

const YAML_TYPES = new Set(['application/yaml', 'application/x-yaml', 'text/yaml'])
const UTF8 = new Set(['utf-8', 'utf8', 'us-ascii'])

/** Which bodies an operation takes, read off the contract. */
export interface BodyRules {
  /** Media types of the contract; empty for an operation without body. */
  mediaTypes: readonly string[]
  required: boolean
  isBatch: boolean
}

/** Reads and parses the body of an operation into `req.body`; strict about charset, UTF-8, depth, reserved keys and numbers. */
export function readBody(rules: BodyRules): RequestHandler[] {
  const parse: RequestHandler = (req, res, next) => {
    const bytes: Buffer | undefined = Buffer.isBuffer(req.body) ? req.body : undefined
    req.body = bytes === undefined || bytes.length === 0 ? undefined : parseBody(bytes, mediaTypeOf(req, rules))
    if (bytes) contextOf(res).facts.body = withoutMark(bytes)
    if (req.body === undefined && rules.required) throw invalid(`this call needs a body of type ${rules.mediaTypes[0]}`)
    next()
  }
  const limitBytes = rules.isBatch ? BATCH_LIMIT_BYTES : BODY_LIMIT_BYTES
  const read: RequestHandler = (req, _res, next) => {
    readBytes(req, limitBytes, (fault, bytes) => {
      req.body = bytes
      next(fault)
    })
  }
  return [read, parse]
}

/** Parses the bytes of a body. @throws SignalbookError `invalid_request` that says where the text stops being JSON or YAML */
export function parseBody(bytes: Uint8Array, mediaType: string): unknown {
  const text = decodeUtf8(bytes)
  if (YAML_TYPES.has(mediaType)) return readSpecDocument(text, 'yaml')
  assertFewContainers(bytes)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid(`the body is not valid JSON: ${(error as Error).message.slice(0, 200)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('the body must be a JSON object, such as {"name": "web-shop"}')
  assertPlainJson(value)
  return value
}

function decodeUtf8(given: Uint8Array): string {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength)
  if (isAscii(bytes)) return bytes.toString('latin1')
  if (!isUtf8(bytes)) throw invalid('the body is not valid UTF-8; encode it as UTF-8')
  return withoutMark(bytes).toString('utf8')
}

/** UTF-8 without the byte order mark that some editors put before it. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

function mediaTypeOf(req: Request, rules: BodyRules): string {
  const sent = req.headers['content-type']
  if (sent === 'application/json' && rules.mediaTypes.includes(sent)) return sent
  const [type, ...parameters] = (sent ?? '').split(';').map((part) => part.trim().toLowerCase())
  if (!rules.mediaTypes.includes(type as string)) {
    throw new SignalbookError('unsupported_media_type', `Content-Type must be ${rules.mediaTypes.join(' or ') || 'absent: this call takes no body'}; got "${(type ?? '').slice(0, 80)}"`)
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length).replaceAll('"', '')
  if (charset !== undefined && !UTF8.has(charset)) {
    throw new SignalbookError('unsupported_media_type', `charset must be utf-8; got "${charset.slice(0, 40)}"`)
  }
  return type as string
}
