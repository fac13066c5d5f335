import { invalid } from '../error.ts'
import { explainRefusedUrl } from './address-guard.ts'

/**
 * Refuses, when it is registered and not only when it is called, an address that could never be called. A name is judged when
 * it is resolved for a request, except for those that by RFC 6761 always mean this machine.
 * @param name how a person would call the field
 * @throws SignalbookError `invalid_request`; a text that is no URL is left to other checks
 */
export function assertCallable(text: string, name: string, options: { allowPrivateNetworks: boolean }): void {
  const url = URL.parse(text)
  if (!url) return
  const isLocalName = !options.allowPrivateNetworks && /(^|\.)localhost\.?$/.test(url.hostname)
  const refusal = isLocalName ? `${url.hostname} is this very machine, and private networks are not allowed` : explainRefusedUrl(url, options)
  if (refusal !== undefined) throw invalid(`${name} cannot be called: ${refusal}; give a public address, or start the service with ALLOW_PRIVATE_NETWORKS=on`)
}
