import { FRESH } from './load.ts'

/** The spec that the measured events are held against, in the shape of `POST /v1/events`. */
export function orderSpec(namespace = 'shop', name = 'order_completed', eventName = 'Order Completed'): Record<string, unknown> {
  const text = (required = false) => ({ type: 'string', maxLength: 100, ...(required ? { required } : {}) })
  return {
    namespace,
    name,
    version: '1-0-0',
    event_name: eventName,
    description: 'A customer paid for an order.',
    properties: {
      order_id: text(true),
      total: { type: 'number', minimum: 0, required: true },
      currency: { type: 'string', enum: ['EUR', 'USD', 'GBP'], required: true },
      coupon: text(),
      shipping: text(),
      payment: text(),
      items: { type: 'integer', minimum: 1 },
      is_first: { type: 'boolean' },
    },
  }
}

/** A realistic track call: 590 bytes as JSON. */
export function trackCall(source = 'web-shop'): Record<string, unknown> {
  return { source, ...trackItem('Order Completed') }
}

/** `batchCall` as most SDKs send it: with random ids of their own, written as UUIDs of version 4. */
export function batchCallWithIds(count: number, source = 'web-shop'): Record<string, unknown> {
  const events = Array.from({ length: count }, (_, n) => ({ type: 'track', message_id: `${FRESH}-4b3a-8d55-6f2f7f0f8`, ...trackItem('Order Completed', n) }))
  return { source, events }
}

/** A batch of `count` track calls, each of another order and user. */
export function batchCall(count: number, source = 'web-shop'): Record<string, unknown> {
  return { source, events: Array.from({ length: count }, (_, n) => ({ type: 'track', ...trackItem('Order Completed', n) })) }
}

function trackItem(eventName: string, n = 0): Record<string, unknown> {
  return {
    event_name: eventName,
    properties: { order_id: `A-1001-${2042 + n}`, total: 129.9 + n, currency: 'EUR', coupon: 'WELCOME10', shipping: 'express', payment: 'credit_card', items: 3, is_first: false },
    context: {
      user_id: `u-${4221337 + n * 37}`,
      anonymous_id: `8f14e45f-ceea-467f-9b1b-2d3c5a7e9${String(100 + n)}`,
      attributes: {
        app: { name: 'web-shop', version: '2.14.1', build: '20261121' },
        page: { url: 'https://shop.example/checkout/done', title: 'Thank you', path: '/done' },
        locale: 'de-DE',
        timezone: 'Europe/Berlin',
        screen: { width: 1920, height: 1080 },
      },
    },
    timestamp: new Date(Date.UTC(2026, 10, 21, 9, 30, 0, 123) + n * 977).toISOString(),
  }
}
