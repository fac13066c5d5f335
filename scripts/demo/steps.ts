import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One call of the tour. */
export interface Step {
  title: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /** A value that is sent as JSON, or the name of a file in specs/. */
  body?: Record<string, unknown> | { file: string }
  withoutKey?: boolean
  expected: number
}

/** The tour: from an empty service to an event that arrived, with every kind of call. */
export function stepsOf(receiverUrl: string): Step[] {
  return [
    { title: 'Create the first key; it needs no key and works only once', method: 'POST', path: '/v1/admin/keys', body: { role: 'admin', name: 'demo' }, withoutKey: true, expected: 201 },
    { title: 'Publish an event spec, as YAML', method: 'POST', path: '/v1/events', body: { file: 'order-completed.yaml' }, expected: 201 },
    { title: 'Register a destination: where events go', method: 'POST', path: '/v1/admin/destinations', body: { name: 'warehouse', provider: 'http', config: { url: `${receiverUrl}/events` } }, expected: 201 },
    { title: 'Register a source: who sends them', method: 'POST', path: '/v1/admin/sources', body: { name: 'web-shop', platform: 'web', language: 'javascript', events: ['shop/**'], destinations: ['warehouse'] }, expected: 201 },
    { title: 'Ask to be told of publications', method: 'POST', path: '/v1/webhooks', body: { url: `${receiverUrl}/hooks` }, expected: 201 },
    { title: 'Send a track call', method: 'POST', path: '/v1/track', body: { source: 'web-shop', event_name: 'Order Completed', properties: { order_id: 'A-1001', total: 59.9, currency: 'EUR' }, context: { user_id: 'u-42' } }, expected: 202 },
    { title: 'Send an identify call', method: 'POST', path: '/v1/identify', body: { source: 'web-shop', user_id: 'u-42', traits: { plan: 'gold' } }, expected: 202 },
    { title: 'Send a group call', method: 'POST', path: '/v1/group', body: { source: 'web-shop', group_id: 'acme', traits: { name: 'Acme' }, context: { user_id: 'u-42' } }, expected: 202 },
    { title: 'Send a page call', method: 'POST', path: '/v1/page', body: { source: 'web-shop', name: 'Checkout', properties: { url: 'https://shop.example/checkout' }, context: { anonymous_id: 'a-7' } }, expected: 202 },
    { title: 'Send an alias call', method: 'POST', path: '/v1/alias', body: { source: 'web-shop', user_id: 'u-42', previous_id: 'a-7' }, expected: 202 },
    {
      title: 'Send a batch; each item overrides the context field by field',
      method: 'POST',
      path: '/v1/batch',
      body: {
        source: 'web-shop',
        context: { user_id: 'u-42', attributes: { app: { version: '2.1' } } },
        events: [
          { type: 'track', event_name: 'Order Completed', properties: { order_id: 'A-1002', total: 12, currency: 'USD' } },
          { type: 'page', name: 'Thanks', context: { user_id: 'u-43' } },
        ],
      },
      expected: 202,
    },
    { title: 'Send an event that violates its spec: it is kept in quarantine and not delivered', method: 'POST', path: '/v1/track', body: { source: 'web-shop', event_name: 'Order Completed', properties: { order_id: 'A-1003', total: 'free', currency: 'EUR' } }, expected: 202 },
    { title: 'Wait until everything sent so far is delivered', method: 'POST', path: '/v1/flush?wait=5s', body: { source: 'web-shop' }, expected: 202 },
    { title: 'See what is in quarantine, and why', method: 'GET', path: '/v1/admin/quarantine', expected: 200 },
    { title: 'Try a new version without publishing it: what would it change?', method: 'POST', path: '/v1/events?dry_run=true', body: { file: 'order-completed-2.json' }, expected: 200 },
    { title: 'Publish it; the version is computed from what changed', method: 'POST', path: '/v1/events', body: { file: 'order-completed-2.json' }, expected: 201 },
    { title: 'Ask what changed between the two', method: 'GET', path: '/v1/diff/shop/order_completed/1-0-0/2-0-0', expected: 200 },
    { title: 'Fetch the specs of the source, as its build would', method: 'GET', path: '/v1/sources/web-shop/pull', expected: 200 },
    { title: 'See who did what', method: 'GET', path: '/v1/audit?limit=3', expected: 200 },
  ]
}

/** The body of a step as it is sent. */
export async function bodyOf(step: Step): Promise<{ text: string; type: string; shown: string } | undefined> {
  if (!step.body) return undefined
  if ('file' in step.body && typeof step.body['file'] === 'string') {
    const name = step.body['file']
    const type = name.endsWith('.yaml') ? 'application/yaml' : 'application/json'
    return { text: await readFile(join(import.meta.dirname, 'specs', name), 'utf8'), type, shown: `--data-binary @scripts/demo/specs/${name}` }
  }
  const text = JSON.stringify(step.body)
  return { text, type: 'application/json', shown: `-d '${text}'` }
}
