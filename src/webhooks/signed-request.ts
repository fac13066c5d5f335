import { Webhook as Signer } from 'standardwebhooks'
import { SECOND } from '../duration.ts'
import type { WebhookDelivery } from '../store/webhook-deliveries.ts'

const TIMEOUT_MS = 15 * SECOND

/** One outgoing request. */
export interface SignedRequest {
  method: 'POST'
  url: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
}

/**
 * Headers and body as the Standard Webhooks specification writes them: one signature for each secret, with a space between
 * them, and the time of this attempt.
 */
export function signedRequest(url: string, secrets: string[], delivery: Pick<WebhookDelivery, 'messageId' | 'payload'>, at: number): SignedRequest {
  const signatures = secrets.map((secret) => new Signer(secret).sign(delivery.messageId, new Date(at), delivery.payload))
  return {
    method: 'POST',
    url,
    timeoutMs: TIMEOUT_MS,
    body: delivery.payload,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'signalbook-webhooks/1',
      'webhook-id': delivery.messageId,
      'webhook-timestamp': String(Math.floor(at / SECOND)),
      'webhook-signature': signatures.join(' '),
    },
  }
}
