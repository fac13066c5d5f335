import type { Random } from '../../registry/diff/support/random.ts'

/** One call that changes the registry. */
export interface RandomChange {
  method: 'POST' | 'PUT' | 'DELETE'
  path: string
  body?: object
  /** How many audit entries it leaves when it succeeds. */
  entries: number
}

// Few names, so that changes of several senders meet.
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']
const LINE_BREAK = '\r\n{"forged": true}\r\n'

/** Makes changes of every kind, no two alike: each success is a change. Keys and webhooks of answers are told to it by `learn`. */
export function randomChanges(random: Random): { next: () => RandomChange; learn: (path: string, body: unknown) => void } {
  const keys: number[] = []
  const webhooks: number[] = []
  let made = 0

  const source = (name: string) => ({ name, platform: `platform ${made}${LINE_BREAK}`, language: '', events: [], destinations: random.some(NAMES, 3) })
  const destination = (name: string) => ({ name, provider: 'noop', config: {} })
  const kinds: (() => RandomChange | undefined)[] = [
    () => ({ method: 'POST', path: '/v1/admin/sources', body: source(random.pick(NAMES)), entries: 1 }),
    () => on((name) => ({ method: 'PUT', path: `/v1/admin/sources/${name}`, body: source(name), entries: 1 })),
    () => on((name) => ({ method: 'DELETE', path: `/v1/admin/sources/${name}`, entries: 1 })),
    () => ({ method: 'POST', path: '/v1/admin/destinations', body: destination(random.pick(NAMES)), entries: 1 }),
    () => on((name) => ({ method: 'PUT', path: `/v1/admin/destinations/${name}`, body: destination(name), entries: 1 })),
    () => on((name) => ({ method: 'DELETE', path: `/v1/admin/destinations/${name}`, entries: 1 })),
    () => ({ method: 'POST', path: '/v1/events', body: { namespace: 'shop', name: random.pick(NAMES), description: `change ${made}${LINE_BREAK}` }, entries: 1 }),
    () => ({ method: 'PUT', path: '/v1/admin/config/max_batch_items', body: { value: String(1 + random.below(2500)) }, entries: 1 }),
    () => ({ method: 'PUT', path: '/v1/admin/config/audit_retention', body: { value: `${1 + random.below(99)}d` }, entries: 1 }),
    () => ({ method: 'POST', path: '/v1/admin/keys', body: { role: 'viewer', name: `key ${made}${LINE_BREAK}` }, entries: 1 }),
    () => once(keys, (id) => ({ method: 'DELETE', path: `/v1/admin/keys/${id}`, entries: 1 })),
    () => once(keys, (id) => ({ method: 'POST', path: `/v1/admin/keys/${id}/rotate`, body: { overlap: '0s' }, entries: 2 })),
    () => ({ method: 'POST', path: '/v1/webhooks', body: { url: `http://127.0.0.1:9/${made}` }, entries: 1 }),
    () => once(webhooks, (id) => ({ method: 'DELETE', path: `/v1/webhooks/${id}`, entries: 1 })),
  ]
  const on = (make: (name: string) => RandomChange) => make(random.pick(NAMES))
  // Each id is used up: revoking a revoked key would be answered alike and change nothing.
  const once = (ids: number[], make: (id: number) => RandomChange) => {
    const id = ids.shift()
    return id === undefined ? undefined : make(id)
  }

  return {
    next() {
      for (;;) {
        made += 1
        const change = random.pick(kinds)()
        if (change) return change
      }
    },
    learn(path, body) {
      const { id } = body as { id: number }
      if (path.startsWith('/v1/admin/keys')) keys.push(id)
      if (path === '/v1/webhooks') webhooks.push(id)
    },
  }
}
