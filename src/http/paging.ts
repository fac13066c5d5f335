import { invalid } from '../error.ts'

export interface PageQuery {
  limit?: number | undefined
  cursor?: string | undefined
}

/** One page of a list that is sorted by its keys, and where the next one begins. */
export interface Page<T> {
  items: T[]
  /** Key of the last item when more follow. */
  next: string[] | undefined
}

/**
 * Cuts a page out of a sorted list. The cursor holds the sort key of the last item seen and not its position, so items
 * added or removed meanwhile shift nothing.
 */
export function pageOf<T>(sorted: readonly T[], query: PageQuery, keyOf: (item: T) => string[]): Page<T> {
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor)
  const rest = after === undefined ? sorted : sorted.filter((item) => compareKeys(keyOf(item), after) > 0)
  const items = rest.slice(0, query.limit)
  const last = items.at(-1)
  return { items, next: last !== undefined && items.length < rest.length ? keyOf(last) : undefined }
}

/** The `Link` header that leads to the next page; no header when this is the last. */
export function linkToNext(url: string, next: string[] | undefined): Record<string, string> {
  if (!next) return {}
  const [path, search] = url.split('?') as [string, string | undefined]
  const query = new URLSearchParams(search)
  query.set('cursor', writeCursor(next))
  return { Link: `<${path}?${query.toString()}>; rel="next"` }
}

/** Order of keys part by part, by code unit. */
function compareKeys(a: string[], b: string[]): number {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? ''
    if (part !== other) return part < other ? -1 : 1
  }
  return 0
}

/** A cursor as clients see it: opaque to them. */
function writeCursor(key: string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

/** @throws SignalbookError `invalid_request` for a text that no answer of ours held */
export function readCursor(cursor: string): string[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(key) && key.length > 0 && key.every((part) => typeof part === 'string')) return key
  } catch {
    // Falls through to the same sentence as a text of the wrong shape.
  }
  throw invalid('cursor must be one that a Link header of this list held; leave it out for the first page')
}

/** An id as a sort key: texts of one length sort as their numbers do. */
export function sortableId(id: number): string {
  return String(id).padStart(15, '0')
}

/** Reads a cursor that holds one id. */
export function readIdCursor(cursor: string): number {
  const [text] = readCursor(cursor) as [string]
  if (!/^[0-9]{1,15}$/.test(text)) throw invalid('cursor must be one that a Link header of this list held; leave it out for the first page')
  return Number(text)
}
