import type { RequestOrigin } from './relay-call.ts'

/** Fills in what the request itself tells, where the sender says nothing of it. */
export function enrich(attributes: Record<string, unknown>, request: Pick<RequestOrigin, 'ip' | 'userAgent'>): Record<string, unknown> {
  // A spread defines own keys and never assigns, so that a key named __proto__ reaches nobody's prototype.
  const enriched = { ...attributes }
  if (request.userAgent !== undefined && !namesUserAgent(attributes)) enriched['user_agent'] = request.userAgent
  if (request.ip !== undefined && !namesIp(attributes)) enriched['ip_address'] = request.ip
  return enriched
}

// Senders spell them in several ways. A key that is there with `null` is a sender that does not want it recorded.
function namesUserAgent(attributes: Record<string, unknown>): boolean {
  return Object.hasOwn(attributes, 'user_agent') || Object.hasOwn(attributes, 'userAgent')
}

function namesIp(attributes: Record<string, unknown>): boolean {
  return Object.hasOwn(attributes, 'ip_address') || Object.hasOwn(attributes, 'ip') || Object.hasOwn(attributes, 'ipAddress')
}
