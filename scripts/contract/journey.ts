import assert from 'node:assert/strict'
import type { Sdk } from './sdk.ts'

const SPEC = { namespace: 'shop', name: 'order_completed', event_name: 'Order Completed', properties: { total: { type: 'number', required: true } } }

/** The way of a user from an empty service to a delivered event and back. @throws Error where the SDK or the service does not do what the contract says */
export async function makeJourney(sdk: Sdk): Promise<void> {
  await sdk.bootstrap()
  assert.equal(await sdk.publish(SPEC), '1-0-0')
  await sdk.registerDestination('warehouse')
  await sdk.registerSource({ name: 'web-shop', events: ['shop/**'], destinations: ['warehouse'] })

  const messageId = await sdk.track({ source: 'web-shop', event_name: 'Order Completed', user_id: 'u-42', properties: { total: 59.9 } })
  assert.match(messageId, /^.{1,100}$/)
  assert.equal(await sdk.flush('10s'), 0)

  assert.equal(await sdk.latestVersion('shop', 'order_completed'), '1-0-0')
  assert.deepEqual(await sdk.reached(messageId), ['warehouse'])

  const missing = await sdk.askForMissing('shop', 'nothing')
  assert.deepEqual([missing.status, missing.code], [404, 'not_found'])
  assert.match(missing.sentence, /\w+ \w+ \w+/)

  await sdk.removeSource('web-shop')
  await sdk.removeDestination('warehouse')
}
