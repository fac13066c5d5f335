import type { Limits } from '../../destinations/destination.ts'
import type { PendingEvent, PendingItem } from './pending-event.ts'

/**
 * Takes the items of the next request: of one lane, within the limits, in the order of the log, and none of a user who has an
 * earlier item in flight or left behind.
 * @param window events in the order of the log, finished ones included
 * @returns the items, now `in_flight`; empty when nothing can be sent now
 */
export function takeBatch(window: readonly PendingEvent[], limits: Pick<Limits, 'items' | 'bytes'>): PendingItem[] {
  const batch: PendingItem[] = []
  const blocked = new Set<string>()
  let bytes = 0
  for (const event of window) {
    for (const item of event.items) {
      if (item.state === 'done') continue
      if (item.state === 'in_flight') blocked.add(event.orderKey)
      if (blocked.has(event.orderKey)) break
      // Two bytes for the separator; a provider's envelope is what its `bytes` leaves room for.
      const size = item.bytes + 2
      const fits = batch.length === 0 || (item.item.lane === batch[0]?.item.lane && bytes + size <= limits.bytes)
      if (!fits) {
        blocked.add(event.orderKey)
        break
      }
      batch.push(item)
      bytes += size
      if (batch.length === limits.items) return claim(batch)
    }
  }
  return claim(batch)
}

function claim(batch: PendingItem[]): PendingItem[] {
  for (const item of batch) item.state = 'in_flight'
  return batch
}
