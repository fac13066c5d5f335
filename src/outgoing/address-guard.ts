import { lookup as systemLookup } from 'node:dns'
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isServicePort } from './service-ports.ts'

/** Why a request was not sent: it would have reached an address that is not public. */
export class AddressRefusedError extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

/** All addresses of a name, as `dns.lookup` gives them. */
export type Resolve = (hostname: string, options: LookupAllOptions, done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void) => void

/** Everything in IPv6 that is routed publicly; what lies outside (such as `::127.0.0.1`) has no business on the wire. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** True for an address on the public internet: not private, loopback, link-local, multicast, reserved, or one of those wrapped in IPv6. */
export function isPublicAddress(text: string): boolean {
  // Link-local addresses come with a zone, such as fe80::1%eth0.
  const address = ipaddr.isValid(text) ? ipaddr.process(text) : undefined
  if (!address || address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(PUBLIC_IPV6)
}

/**
 * Checks what can be checked of a URL before a connection: its scheme, credentials inside it, its port, and a literal address.
 * `net.connect` never calls `lookup` for literals, so they are judged here and names are judged by `guardedLookup`.
 * @returns what is wrong, `undefined` when the URL may be called
 */
export function explainRefusedUrl(url: URL, options: { allowPrivateNetworks: boolean }): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return `the URL must begin with http:// or https://, not ${url.protocol}//`
  if (url.username !== '' || url.password !== '') return 'the URL must not contain a user name or password'
  if (options.allowPrivateNetworks) return undefined
  if (isServicePort(url.port)) return `port ${url.port} belongs to a service that does not speak HTTP`
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // Either may take for an address what the other does not: net.connect would go by isIP.
  if ((isIP(host) !== 0 || ipaddr.isValid(host)) && !isPublicAddress(host)) return `${host} is not a public address, and private networks are not allowed`
  return undefined
}

/**
 * A `lookup` that refuses names which resolve to an address that is not public. The connection goes to the very addresses
 * that were checked, so a name that changes its answer in between gains nothing.
 */
export function guardedLookup(resolve: Resolve = systemLookup): LookupFunction {
  return (hostname, lookupOptions, callback) => {
    resolve(hostname, { ...lookupOptions, all: true }, (error, found) => {
      if (error) return callback(error, '', 0)
      const refused = found.find((each) => !isPublicAddress(each.address))
      if (refused) return callback(new AddressRefusedError(`${hostname} resolves to ${refused.address}, which is not a public address, and private networks are not allowed`), '', 0)
      const first = found[0]
      if (!first) return callback(Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' }), '', 0)
      return lookupOptions.all ? callback(null, found) : callback(null, first.address, first.family)
    })
  }
}
