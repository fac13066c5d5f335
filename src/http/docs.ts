import { readFileSync } from 'node:fs'
import type { RequestHandler } from 'express'
import { SignalbookError } from '../error.ts'
import { DOCS_PAGE, DOCS_SCRIPT } from './docs-page.ts'

/** Nothing from elsewhere, no script inside the page, no frame around it. Swagger UI writes styles onto its elements. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface StaticFile {
  type: string
  /** How long browsers may keep it. */
  cacheControl: string
  body: () => Buffer
}

const FILES = new Map<string, StaticFile>([
  ['/docs', written('text/html', DOCS_PAGE)],
  ['/docs/start.js', written('text/javascript', DOCS_SCRIPT)],
  ['/docs/swagger-ui-bundle.js', packaged('text/javascript', 'swagger-ui-bundle.js')],
  ['/docs/swagger-ui.css', packaged('text/css', 'swagger-ui.css')],
])

/**
 * The contract as a page for people, at `/docs`, without a key. It stands beside the contract and not in it: it is no part of
 * the interface that programs use.
 */
export const serveDocs: RequestHandler = (req, res, next) => {
  const file = FILES.get(req.path)
  if (!file) return next()
  if (req.method !== 'GET') {
    res.setHeader('Allow', 'GET, HEAD')
    throw new SignalbookError('method_not_allowed', `${req.method} is not possible here; ${req.path} answers GET, HEAD`)
  }
  const body = file.body()
  res.set({
    'Content-Type': `${file.type}; charset=utf-8`,
    'Content-Length': String(body.length),
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': file.cacheControl,
  })
  res.end(body)
}

function written(type: string, text: string): StaticFile {
  const bytes = Buffer.from(text)
  return { type, cacheControl: 'no-cache', body: () => bytes }
}

/** A file of the package swagger-ui-dist, read when it is first asked for: most processes are never asked. */
function packaged(type: string, name: string): StaticFile {
  let bytes: Buffer | undefined
  return { type, cacheControl: 'public, max-age=86400', body: () => (bytes ??= readFileSync(new URL(import.meta.resolve(`swagger-ui-dist/${name}`)))) }
}
