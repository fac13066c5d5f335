import type { HttpRequest } from './destination.ts'

/** A POST of JSON text. */
export function jsonPost(url: string, body: string, headers: Record<string, string> = {}): HttpRequest {
  return { method: 'POST', url, headers: { 'content-type': 'application/json', 'user-agent': 'signalbook', ...headers }, body }
}

/** The address of a vendor's path, query included, under a base address. A path and a query of the base, as proxies have them, stay. */
export function addressUnder(base: string, path: string): string {
  const url = new URL(base)
  const [pathname = '', query = ''] = path.split('?')
  url.pathname = url.pathname.replace(/\/+$/, '') + pathname
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value)
  url.hash = ''
  return url.href
}

/** The value of an `Authorization` header with user name and password (RFC 7617), in UTF-8. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** Items joined into a JSON array, each the JSON text that it is. */
export function jsonArray(items: readonly { body: string }[]): string {
  return `[${items.map((item) => item.body).join(',')}]`
}
