/** Speaks to a running service as an application and its operator do. */
export interface RelayClient {
  key: string
  /** @returns the status, 0 when there was no answer, the body, and the header `Retry-After` */
  call: (method: string, path: string, body?: object) => Promise<{ status: number; body: unknown; retryAfter?: string | null }>
}

/** @param url where the service listens now; it may move */
export function relayClient(url: () => string, key = ''): RelayClient {
  const client: RelayClient = {
    key,
    async call(method, path, body) {
      try {
        const answer = await fetch(url() + path, {
          method,
          headers: { 'Content-Type': 'application/json', ...(client.key === '' ? {} : { Authorization: `Bearer ${client.key}` }) },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        const text = await answer.text()
        return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), retryAfter: answer.headers.get('retry-after') }
      } catch {
        return { status: 0, body: undefined }
      }
    },
  }
  return client
}

/** Makes the first key, one HTTP destination per entry and the source `web` that sends to all of them. */
export async function registerRelay(client: RelayClient, destinations: Record<string, object>): Promise<void> {
  const made = await client.call('POST', '/v1/admin/keys', { role: 'admin' })
  if (made.status !== 201) throw new Error(`no first key: ${made.status} ${JSON.stringify(made.body)}`)
  client.key = (made.body as { key: string }).key
  const posts: [string, object][] = [
    ...Object.entries(destinations).map(([name, config]): [string, object] => ['destinations', { name, provider: 'http', config }]),
    ['sources', { name: 'web', destinations: Object.keys(destinations) }],
  ]
  for (const [path, body] of posts) {
    const answer = await client.call('POST', `/v1/admin/${path}`, body)
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  }
}

/** Page calls for a batch, one per message id. */
export function pages(ids: string[], fields: object = {}): { source: string; events: object[] } {
  return { source: 'web', events: ids.map((id) => ({ type: 'page', name: 'Home', message_id: id, ...fields })) }
}
