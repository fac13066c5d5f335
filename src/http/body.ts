import { isAscii, isUtf8 } from 'node:buffer'
import express from 'express'
import type { NextFunction, Request, RequestHandler } from 'express'
import { SignalbookError, invalid } from '../error.ts'
import { assertPlainJson } from '../plain-json.ts'
import { readSpecDocument } from '../registry/spec-document.ts'

const MEBIBYTE = 1024 * 1024
const BODY_LIMIT_BYTES = MEBIBYTE
const BATCH_LIMIT_BYTES = 4 * MEBIBYTE

const YAML_TYPES = new Set(['application/yaml', 'application/x-yaml', 'text/yaml'])
const UTF8 = new Set(['utf-8', 'utf8', 'us-ascii'])

/** Reads the bytes of any body, decompressed; the limit counts what comes out. */
function rawBody(limitBytes: number): RequestHandler {
  const readCompressed = express.raw({ type: () => true, limit: limitBytes, inflate: true })
  return (req, res, next) => {
    const encoding = req.headers['content-encoding']
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return readCompressed(req, res, next)
    if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined) return next()
    readPlain(req, limitBytes, next)
  }
}

/** What express's reader does for a body that is not compressed, in a third of the time. */
function readPlain(req: Request, limitBytes: number, next: NextFunction): void {
  const chunks: Buffer[] = []
  let bytes = 0
  let isSettled = false
  const settle = (fault?: SignalbookError): void => {
    isSettled = true
    next(fault)
  }
  // An error is only made when it is needed: its stack costs more than reading the body.
  const cutShort = (): void => {
    if (!isSettled) settle(invalid(CUT_SHORT))
  }
  req.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    // The rest is read and dropped, so that the sender gets to see the answer.
    if (bytes > limitBytes) chunks.length = 0
    else chunks.push(chunk)
  })
  req.on('end', () => {
    if (bytes > limitBytes) return settle(new SignalbookError('too_large', TOO_LARGE))
    req.body = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, bytes)
    settle()
  })
  req.on('error', cutShort)
  req.on('close', cutShort)
}

const rawSingle = rawBody(BODY_LIMIT_BYTES)
const rawBatch = rawBody(BATCH_LIMIT_BYTES)

export const TOO_LARGE = 'the body is too large: 1 MB at most, 4 MB for /v1/batch, counted after decompression'
export const CUT_SHORT = 'the request ended before its body was complete'

/** Which bodies an operation takes, read off the contract. */
export interface BodyRules {
  /** Media types of the contract; empty for an operation without body. */
  mediaTypes: readonly string[]
  required: boolean
  isBatch: boolean
}

/** Reads and parses the body of an operation into `req.body`; strict about charset, UTF-8, depth, reserved keys and numbers. */
export function readBody(rules: BodyRules): RequestHandler[] {
  const parse: RequestHandler = (req, _res, next) => {
    const bytes: Buffer | undefined = Buffer.isBuffer(req.body) ? req.body : undefined
    req.body = bytes === undefined || bytes.length === 0 ? undefined : parseBody(bytes, mediaTypeOf(req, rules))
    if (req.body === undefined && rules.required) throw invalid(`this call needs a body of type ${rules.mediaTypes[0]}`)
    next()
  }
  return [rules.isBatch ? rawBatch : rawSingle, parse]
}

/** Parses the bytes of a body. @throws SignalbookError `invalid_request` that says where the text stops being JSON or YAML */
export function parseBody(bytes: Uint8Array, mediaType: string): unknown {
  const text = decodeUtf8(bytes)
  if (YAML_TYPES.has(mediaType)) return readSpecDocument(text, 'yaml')
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
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return bytes.toString('utf8', hasMark ? 3 : 0)
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
